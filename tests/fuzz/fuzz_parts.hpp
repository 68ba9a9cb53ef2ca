// Archives for fuzzing: the first byte of an input says what the rest is, a whole archive or one part of an
// archive that is sound otherwise, so that the parts are reached behind zip's checksums.
#pragma once
#include <algorithm>
#include <span>

#include "app/engine/archive.hpp"
#include "app/engine/columns.hpp"
#include "app/engine/manifest.hpp"
#include "app/engine/npy.hpp"
#include "app/engine/run_file.hpp"
#include "fuzz.hpp"

namespace lockstep::fuzz {

using Bytes = std::vector<std::uint8_t>;

class Parts {
 public:
  explicit Parts(const Run& sound) {
    const std::string manifest = manifest_of(sound);
    entries_.push_back({"manifest.json", {manifest.begin(), manifest.end()}});
    add_columns(sound, entries_);
  }

  Bytes archive_from(std::span<const std::uint8_t> input) const {
    const Part part = Part(input[0] % kParts);
    input = input.subspan(1);
    if (part == kArchive) return {input.begin(), input.end()};
    if (part == kManifest) return archive_with(0, {input.begin(), input.end()});
    if (input.empty()) return {};
    const std::size_t column = 1 + input[0] % (entries_.size() - 1);
    input = input.subspan(1);
    if (part == kFile) return archive_with(column, {input.begin(), input.end()});
    return archive_with(column, with_values(entries_[column], input));
  }

  std::vector<std::string> seeds() const {
    auto archive = write_archive(entries_);
    auto deflated = write_archive(entries_, Packing::deflated);
    std::vector<std::string> all{seed(kArchive, *archive), seed(kArchive, *deflated),
                                 seed(kManifest, entries_[0].bytes)};
    for (std::size_t i = 1; i < entries_.size(); ++i) {
      all.push_back(seed(kFile, entries_[i].bytes).insert(1, 1, char(i - 1)));
      all.push_back(seed(kValues, values_of(entries_[i])).insert(1, 1, char(i - 1)));
    }
    return all;
  }

 private:
  enum Part : char { kArchive, kManifest, kFile, kValues, kParts };

  static std::string seed(Part part, std::span<const std::uint8_t> bytes) {
    return std::string(1, part) + std::string(bytes.begin(), bytes.end());
  }
  static std::span<const std::uint8_t> values_of(const ArchiveEntry& column) {
    return parse_npy(column.bytes, column.name).data;
  }
  // The column with its values replaced and its header kept; values that the input does not reach stay as
  // they were.
  static Bytes with_values(const ArchiveEntry& column, std::span<const std::uint8_t> values) {
    Bytes bytes = column.bytes;
    const std::size_t count = values_of(column).size();
    std::copy_n(values.begin(), std::min(values.size(), count), bytes.end() - std::ptrdiff_t(count));
    return bytes;
  }
  Bytes archive_with(std::size_t entry, Bytes bytes) const {
    std::vector<ArchiveEntry> entries = entries_;
    entries.at(entry).bytes = std::move(bytes);
    auto archive = write_archive(entries);
    promise(archive.ok(), "an archive can be written in memory");
    return std::move(*archive);
  }

  std::vector<ArchiveEntry> entries_;  // the manifest comes first, then every column
};

}  // namespace lockstep::fuzz
