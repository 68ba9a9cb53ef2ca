// Run files of strangers, read and written again.
#include "../engine_sample.hpp"
#include "app/cli/print.hpp"
#include "fuzz_parts.hpp"

using namespace lockstep;

namespace {

const fuzz::Parts& parts() {
  static const fuzz::Parts parts(test::sample_run());
  return parts;
}

// Everything that the command line does with a run that it was given.
void use(const Run& run) {
  auto again = encode_run(run);
  fuzz::promise(again.ok(), "a run that was read can be written");
  fuzz::promise(decode_run(*again, "again").ok(), "a run that was read and written can be read");
  (void)run_to_json(run);
  (void)describe(run);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fuzz::write_seeds(parts().seeds());
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  if (const auto run = decode_run(parts().archive_from({data, size}), "input")) use(*run);
  return 0;
}
