#include "run_file.hpp"

#include <charconv>
#include <exception>
#include <new>
#include <string_view>

#include "app/platform/files.hpp"
#include "columns.hpp"
#include "damaged.hpp"
#include "manifest.hpp"
#include "run_index.hpp"

namespace lockstep {
namespace {

constexpr const char* kManifest = "manifest.json";

Error damaged(const std::string& name, const std::string& why) {
  return bad_input("{0} is not a run file that can be read: {1}; save or record the run again", {name, why});
}

// Everything thrown below this point is about the file (or about memory for it); none of it leaves this file.
template <class F>
auto guarded(const std::string& name, F&& read) -> Result<decltype(read())> {
  try {
    return read();
  } catch (const std::bad_alloc&) {
    return bad_input("{0} does not fit into memory; close other programs or use a smaller run", {name});
  } catch (const std::exception& fault) {
    return damaged(name, fault.what());
  }
}

std::string manifest_text(const ArchiveReader& archive) {
  const std::vector<std::uint8_t> bytes = archive.read(kManifest);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

Result<std::vector<std::uint8_t>> encode_run(const Run& run, Packing packing) {
  const std::string manifest = manifest_of(run);
  std::vector<ArchiveEntry> entries;
  entries.push_back({kManifest, {manifest.begin(), manifest.end()}});
  add_columns(run, entries);
  return write_archive(entries, packing);
}

Result<Run> decode_run(std::span<const std::uint8_t> archive, const std::string& name) {
  return guarded(name, [&] {
    const ArchiveReader reader(archive);
    Run run = parse_manifest(manifest_text(reader));
    read_columns(reader, run);
    return run;
  });
}

Result<std::string> load_manifest_text(const std::filesystem::path& path) {
  // libzip seeks and asks for the file's state some thirty times; of a small file it gets the bytes.
  constexpr std::uintmax_t kSmall = 1 << 20;
  std::error_code error;
  if (std::filesystem::file_size(path, error) <= kSmall && !error)
    if (const auto bytes = read_file(path, kSmall))
      return guarded(path.string(), [&] { return manifest_text(ArchiveReader(*bytes)); });
  return guarded(path.string(), [&] { return manifest_text(ArchiveReader(path)); });
}

Result<std::vector<ManifestText>> load_manifest_texts(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kManifestsFile;
  const auto bytes = read_file(file, kMaxArchiveBytes);
  if (!bytes) return bytes.error();
  std::string_view rest(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  std::vector<ManifestText> texts;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const std::size_t space = line.rfind(' ');
    std::size_t size = 0;
    const char* const end = line.data() + line.size();
    if (space == line.npos) return damaged(file.string(), "it ends in the middle of a manifest");
    const auto read = std::from_chars(line.data() + space + 1, end, size);
    const bool counted = read.ec == std::errc() && read.ptr == end;
    if (!counted || rest.size() < line.size() + 2 || rest.size() - line.size() - 2 < size)
      return damaged(file.string(), "it ends in the middle of a manifest");
    texts.push_back({folder / line.substr(0, space), std::string(rest.substr(line.size() + 1, size))});
    rest.remove_prefix(line.size() + 1 + size + 1);
  }
  return texts;
}

Result<Device> device_of_manifest(std::string_view text, const std::string& name) {
  return guarded(name, [&] { return parse_device(text); });
}

Result<Run> run_of_manifest(std::string_view text, const std::string& name) {
  return guarded(name, [&] { return parse_manifest(text); });
}

Result<Run> load_run(const std::filesystem::path& path) {
  if (Status here = bring_file(path); !here) return here.error();
  auto bytes = read_file(path, kMaxArchiveBytes);
  if (!bytes) return bytes.error();
  return decode_run(*bytes, path.string());
}

Status save_run(const Run& run, const std::filesystem::path& path, Packing packing) {
  if (path.extension() == ".json") {
    const std::string text = run_to_json(run) + "\n";
    return write_file_atomically(path, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
  if (path.extension() != ".npz")
    return bad_input("a run cannot be saved as '{0}': the name must end in .npz or .json", {path.string()});
  auto bytes = encode_run(run, packing);
  if (!bytes) return bytes.error();
  return write_file_atomically(path, *bytes);
}

}  // namespace lockstep
