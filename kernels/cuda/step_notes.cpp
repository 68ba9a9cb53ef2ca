// Runs a stamped rung and brings its notes to the host.
#include <cuda_runtime.h>

#include <algorithm>

#include "kernels/cuda/gpu.hpp"
#include "kernels/cuda/rung_code.hpp"
#include "kernels/cuda/stamp_state.hpp"

namespace lockstep::cuda {
namespace {

constexpr int kLaunches = 11, kMostWarps = 32;
constexpr std::size_t kBytes = kMostWarps * kMostStepNotes * sizeof(StepNote);

const RungCode* stamped(const RungInfo& rung) {
  for (const RungCode* const* code = stamped_rungs; *code; ++code)
    if (rung.file == (*code)->file) return *code;
  return nullptr;
}

// Where a kernel writes its notes.
class Notes {
 public:
  explicit Notes(std::int64_t block) {
    cudaMalloc(&state_.notes, kBytes);
    state_.capacity = unsigned(kMostStepNotes), state_.block = std::uint64_t(block);
  }
  ~Notes() { cudaFree(state_.notes); }
  Notes(const Notes&) = delete;
  Notes& operator=(const Notes&) = delete;
  const StampState& state() const { return state_; }
  void clear() { cudaMemset(state_.notes, kNoNote, kBytes); }
  std::vector<WarpNotes> fetch() const {
    std::vector<StepNote> all(kMostWarps * kMostStepNotes);
    cudaMemcpy(all.data(), state_.notes, kBytes, cudaMemcpyDeviceToHost);
    std::vector<WarpNotes> warps;
    for (std::size_t w = 0; w < kMostWarps; ++w) {
      const auto first = all.begin() + std::ptrdiff_t(w * kMostStepNotes);
      const auto end = std::find_if(first, first + kMostStepNotes,
                                    [](const StepNote& note) { return note.unused == kNoNote; });
      if (end != first) warps.push_back({std::int64_t(w), {first, end}});
    }
    count_from_first(warps);
    return warps;
  }

 private:
  // The clock has 32 bits and may pass zero in between.
  static void count_from_first(std::vector<WarpNotes>& warps) {
    if (warps.empty()) return;
    std::uint32_t first = warps[0].notes[0].begin;
    for (const WarpNotes& warp : warps)
      if (std::int32_t(warp.notes[0].begin - first) < 0) first = warp.notes[0].begin;
    for (WarpNotes& warp : warps)
      for (StepNote& note : warp.notes) note.begin -= first, note.end -= first;
  }
  StampState state_;
};

}  // namespace

bool has_notes(const RungInfo& rung) { return stamped(rung) != nullptr; }

Result<StepNotes> note_steps(const RungInfo& rung, const lab::DeviceBinding& binding, std::int64_t block) {
  const RungCode* const code = stamped(rung);
  Notes notes(block);
  lab::LaunchLog log;
  log.keep_facts = false;
  log.stamps = &notes.state();
  code->run(&log, binding);
  log.stamps = nullptr;
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  const auto timed = [&](auto&& run) {
    cudaEventRecord(begin);
    run();
    cudaEventRecord(end);
    float ms = 0;
    if (log.error.empty() && log.check(cudaEventSynchronize(end), "stamped kernel"))
      cudaEventElapsedTime(&ms, begin, end);
    return double(ms);
  };
  struct Launch {
    double ms = 0;
    std::vector<WarpNotes> warps;
  };
  std::vector<Launch> launches;
  std::vector<double> clean;
  for (int i = -1; i < kLaunches && log.error.empty(); ++i) {  // one to warm up
    notes.clear();
    const double ms = timed([&] { code->run(&log, binding); });
    const double without = timed([&] { start_clean(rung, binding, log); });
    if (i < 0 || !log.error.empty()) continue;
    launches.push_back({ms, notes.fetch()}), clean.push_back(without);
  }
  cudaEventDestroy(begin), cudaEventDestroy(end);
  if (!log.error.empty()) return Error{Exit::worker_died, {"the GPU reported an error: {0}", {log.error}}};
  std::sort(launches.begin(), launches.end(), [](const Launch& a, const Launch& b) { return a.ms < b.ms; });
  std::sort(clean.begin(), clean.end());
  Launch& median = launches[kLaunches / 2];
  return StepNotes{std::move(median.warps), median.ms / clean[kLaunches / 2]};
}

}  // namespace lockstep::cuda
