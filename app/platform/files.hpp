// Files, written so that nothing is lost; and checks before a long run whether its result can be written at
// all.
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "app/model/result.hpp"

namespace lockstep {

// ok where write_file_atomically(path, ...) would find a folder it may write to. The error names the cause.
Status check_writable(const std::filesystem::path& path);
// The folder exists afterwards and can be written to; missing folders are made.
Status make_output_folder(const std::filesystem::path& folder);

// Writes to a temporary file beside `path`, syncs and renames; on failure `path` is as it was. The error
// names the cause (read-only folder, full disk, ...).
Status write_file_atomically(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);

// A file may be known here and lie elsewhere: in a browser recordings are fetched when they are wanted. ok
// where `path` can be read afterwards, or where nobody knows more of it than its name.
Status bring_file(const std::filesystem::path& path);
// Called by write_file_atomically() when `path` holds `bytes`: a page keeps them, or hands them to the
// reader.
void tell_written(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);
Result<std::vector<std::uint8_t>> read_file(const std::filesystem::path& path, std::uint64_t max_bytes);

bool is_executable(const std::filesystem::path& file);

// A new folder below the system's for temporary files, gone with this object. Its path is empty where none
// could be made.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& name);  // begins so
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace lockstep
