// Run files of strangers, drawn as the window draws them.
#include "app/engine/engine.hpp"
#include "app/shell/shell.hpp"
#include "fuzz_parts.hpp"

using namespace lockstep;

namespace {

Run small_run() {
  Request request;
  request.lab = "transpose", request.rung = "padded", request.params = {{"n", std::int64_t{5}}};
  auto run = make_emulator_engine()->run(request, [](const Progress&) { return true; });
  fuzz::promise(run.ok(), "the emulator runs");
  run->findings.push_back(
      {"out_of_bounds", 0, 0, -1, 1, 0, "", {"beyond", {}}});  // so that offsets may be anything
  return std::move(*run);
}

const fuzz::Parts& parts() {
  static const fuzz::Parts parts(small_run());
  return parts;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fuzz::write_seeds(parts().seeds());
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  auto read = decode_run(parts().archive_from({data, size}), "input");
  if (!read) return 0;
  auto run = as_recording(std::move(*read), "input");
  if (!run) return 0;
  ShotOptions options;
  options.run = std::move(*run);
  options.request = options.run->request;
  options.output = "picture.svg";
  fuzz::promise(shot_bytes(options).ok(), "a run that was read can be drawn");
  return 0;
}
