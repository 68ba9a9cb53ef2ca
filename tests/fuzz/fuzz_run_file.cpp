// Run files of strangers. The first byte says what the rest is: a whole archive, or one part of an archive
// that is sound otherwise, so that the parts are reached behind zip's checksums.
#include <algorithm>

#include "app/engine/archive.hpp"
#include "app/engine/columns.hpp"
#include "app/engine/manifest.hpp"
#include "app/engine/npy.hpp"
#include "app/engine/run_file.hpp"
#include "app/labs/lab.hpp"
#include "app/print.hpp"
#include "fuzz.hpp"
#include "tests/engine_sample.hpp"

using namespace lockstep;

namespace {

using Bytes = std::vector<std::uint8_t>;

enum Part : char { kArchive, kManifest, kFile, kValues, kParts };

// The manifest comes first, then every column.
const std::vector<ArchiveEntry>& sound_entries() {
  static const std::vector<ArchiveEntry> entries = [] {
    const Run run = test::sample_run();
    const std::string manifest = manifest_of(run);
    std::vector<ArchiveEntry> made{{"manifest.json", {manifest.begin(), manifest.end()}}};
    add_columns(run, made);
    return made;
  }();
  return entries;
}

std::span<const std::uint8_t> values_of(const ArchiveEntry& column) {
  return parse_npy(column.bytes, column.name).data;
}

Bytes archive_with(std::size_t entry, Bytes bytes) {
  std::vector<ArchiveEntry> entries = sound_entries();
  entries.at(entry).bytes = std::move(bytes);
  auto archive = write_archive(entries);
  fuzz::promise(archive.ok(), "an archive can be written in memory");
  return std::move(*archive);
}

// The column with its values replaced and its header kept; values that the input does not reach stay as they
// were.
Bytes with_values(const ArchiveEntry& column, std::span<const std::uint8_t> values) {
  Bytes bytes = column.bytes;
  const std::size_t count = values_of(column).size();
  std::copy_n(values.begin(), std::min(values.size(), count), bytes.end() - std::ptrdiff_t(count));
  return bytes;
}

Bytes archive_from(std::span<const std::uint8_t> input) {
  const Part part = Part(input[0] % kParts);
  input = input.subspan(1);
  if (part == kArchive) return {input.begin(), input.end()};
  if (part == kManifest) return archive_with(0, {input.begin(), input.end()});
  if (input.empty()) return {};
  const std::size_t column = 1 + input[0] % (sound_entries().size() - 1);
  input = input.subspan(1);
  if (part == kFile) return archive_with(column, {input.begin(), input.end()});
  return archive_with(column, with_values(sound_entries()[column], input));
}

// Everything that the command line does with a run that it was given.
void use(const Run& run) {
  auto again = encode_run(run);
  fuzz::promise(again.ok(), "a run that was read can be written");
  fuzz::promise(decode_run(*again, "again").ok(), "a run that was read and written can be read");
  (void)run_to_json(run);
  (void)describe(run);
  if (const Lab* lab = find_lab(run.request.lab)) (void)lab->steps(run);
}

std::string seed(Part part, std::span<const std::uint8_t> bytes) {
  return std::string(1, part) + std::string(bytes.begin(), bytes.end());
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  std::vector<std::string> seeds{seed(kArchive, *encode_run(test::sample_run())),
                                 seed(kManifest, sound_entries()[0].bytes)};
  for (std::size_t i = 1; i < sound_entries().size(); ++i) {
    const ArchiveEntry& column = sound_entries()[i];
    seeds.push_back(seed(kFile, column.bytes).insert(1, 1, char(i - 1)));
    seeds.push_back(seed(kValues, values_of(column)).insert(1, 1, char(i - 1)));
  }
  fuzz::write_seeds(seeds);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes archive = archive_from({data, size});
  if (const auto run = decode_run(archive, "input")) use(*run);
  return 0;
}
