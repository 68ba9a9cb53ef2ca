#include "app/cli/session.hpp"

#include <cmath>
#include <iostream>

#include "app/engine/run_file.hpp"
#include "app/platform/paths.hpp"
#include "app/platform/process.hpp"

namespace lockstep {
namespace {

constexpr auto kLookAround = std::chrono::milliseconds(50);  // how soon Ctrl+C and progress are noticed

// One line on the terminal's error output, gone when the run is over.
class ProgressLine {
 public:
  ~ProgressLine() {
    if (shown_) std::cerr << "\r\033[K" << std::flush;
  }
  void show(const Progress& progress) {
    if (!wanted_ || progress.what.id.empty()) return;
    std::cerr << "\r\033[K" << progress.what.text() << "  " << std::lround(progress.fraction * 100) << " %"
              << std::flush;
    shown_ = true;
  }

 private:
  const bool wanted_ = standard_error_is_terminal();
  bool shown_ = false;
};

// What contradicts the saved run: flags that choose another lab or rung than the file holds.
Status check_matches(const RunArguments& arguments, const Run& run) {
  const std::string held = run.request.lab + "/" + run.request.rung;
  const bool other_lab = arguments.lab && *arguments.lab != run.request.lab;
  const bool other_rung = arguments.rung && *arguments.rung != run.request.rung;
  if (other_lab || other_rung)
    return bad_input("{0} holds a run of {1}; leave the lab and --rung out, or name that one",
                     {*arguments.run_file, held});
  if (!arguments.settings.empty() || arguments.engine || arguments.block)
    return bad_input("{0} is a saved run: --set, --engine and --block cannot change it; leave them out",
                     {*arguments.run_file});
  return Unit{};
}

}  // namespace

Engines make_engines(const std::vector<std::filesystem::path>& recordings) {
  return {make_cuda_engine(), make_emulator_engine(), make_recording_engine(recordings)};
}

Session::Session(std::vector<std::filesystem::path> recordings) : recordings_(std::move(recordings)) {}

WorkerPool& Session::pool() {
  if (!pool_) {
    WorkerOptions options;
    options.program = program_path();
    options.recordings = recordings_;
    options.spare = false;
    pool_ = std::make_unique<WorkerPool>(std::move(options));
  }
  return *pool_;
}

Result<Run> Session::run(const Request& request) {
  watch_interrupts();
  ProgressLine line;
  pool().start(request);
  for (;;) {
    if (auto outcome = pool().wait_for(kLookAround)) return std::move(outcome->run);
    if (interrupted()) pool().cancel();
    line.show(pool().progress());
  }
}

Result<Run> Session::load(const RunArguments& arguments) {
  auto run = load_recording(*arguments.run_file);
  if (!run) return run;
  if (Status matches = check_matches(arguments, *run); !matches) return matches.error();
  auto lab = lab_named(run->request.lab);
  if (!lab) return lab.error();
  return run;
}

Result<Run> Session::load_beside(const std::string& lab, const std::string& file) {
  auto run = load_recording(file);
  if (!run) return run;
  if (run->request.lab != lab)
    return bad_input("{0} holds a run of the lab {1}; only runs of {2} can stand beside this one",
                     {file, run->request.lab, lab});
  return run;
}

Result<Run> Session::obtain(const RunArguments& arguments) {
  if (arguments.run_file) return load(arguments);
  auto request = make_request(arguments);
  if (!request) return request.error();
  if (!arguments.block) return run(*request);
  auto block = parse_block(*arguments.block);
  if (!block) return block.error();
  if (block->position) {
    // The grid is known after a launch: a run that follows block 0 tells it.
    auto first = run(*request);
    if (!first) return first;
    if (first->launches.empty()) return bad_input("--block x,y,z needs a run with events; give a number");
    auto linear = linear_block(*block, first->launches.front());
    if (!linear) return linear.error();
    if (*linear == first->request.block) return first;
    block->linear = *linear;
  }
  request->block = block->linear;
  return run(*request);
}

std::vector<std::string> Session::devices(const std::string& lab, const std::string& rung) const {
  std::vector<std::string> names;
  for (const Run& run : make_recording_engine(recordings_)->recorded_everywhere(lab, rung))
    if (std::find(names.begin(), names.end(), run.device.name) == names.end())
      names.push_back(run.device.name);
  return names;
}

std::vector<Run> Session::timed(const std::string& lab) const {
  return timed_recordings(*make_recording_engine(recordings_), lab);
}

}  // namespace lockstep
