// A zip archive of stored or deflated entries, written and read in memory. Nothing in an archive is trusted.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/model/result.hpp"

namespace lockstep {

constexpr std::uint64_t kMaxArchiveBytes = std::uint64_t{1} << 30;
constexpr int kMaxArchiveEntries = 16384;
// What the deflated entries of one archive may unfold to in all; the largest bundled recording needs 3 MB.
constexpr std::uint64_t kMaxInflatedBytes = std::uint64_t{256} << 20;

struct ArchiveEntry {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

enum class Packing { stored, deflated };

// Entries in the given order with a fixed date, so that the same entries give the same bytes.
Result<std::vector<std::uint8_t>> write_archive(const std::vector<ArchiveEntry>& entries,
                                                Packing packing = Packing::stored);

// Opening checks the directory: sizes bounded and in agreement, entries stored or deflated and no larger than
// deflate can unfold them, nothing encrypted, no name twice. All throw DamagedFile.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::span<const std::uint8_t> archive);  // must outlive the reader
  explicit ArchiveReader(const std::filesystem::path& path);
  ~ArchiveReader();
  bool has(const std::string& name) const;
  // The whole entry, its checksum verified. No more is taken than the directory says.
  std::vector<std::uint8_t> read(const std::string& name) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep
