// Runs a stamped rung and brings its notes to the host.
#include <cuda_runtime.h>

#include <algorithm>

#include "kernels/cuda/gpu.hpp"
#include "kernels/cuda/rung_code.hpp"
#include "kernels/cuda/stamp_state.hpp"

namespace lockstep::cuda {
namespace {

constexpr int kLaunches = 11, kMostWarps = 32;
constexpr std::size_t kBytes = kMostWarps * kNoteBytes;

const RungCode* stamped(const RungInfo& rung) {
  for (const RungCode* const* code = stamped_rungs; *code; ++code)
    if (rung.file == (*code)->file) return *code;
  return nullptr;
}

// Where a kernel writes its notes.
class Notes {
 public:
  // An error is in the log.
  explicit Notes(lab::LaunchLog& log) {
    if (!log.check(cudaMalloc(&memory_, kBytes + kNoteBytes), "notes")) return;
    const auto first = (reinterpret_cast<std::uintptr_t>(memory_) + kNoteBytes - 1) / kNoteBytes * kNoteBytes;
    state_.notes = reinterpret_cast<StepNote*>(first);
  }
  ~Notes() { cudaFree(memory_); }
  Notes(const Notes&) = delete;
  Notes& operator=(const Notes&) = delete;
  StampState& state() { return state_; }
  void clear() { cudaMemset(state_.notes, kNoNote, kBytes); }
  std::vector<WarpNotes> fetch() const {
    std::vector<StepNote> all(kMostWarps * kNotesOfWarp);
    cudaMemcpy(all.data(), state_.notes, kBytes, cudaMemcpyDeviceToHost);
    std::vector<WarpNotes> warps;
    for (std::size_t w = 0; w < kMostWarps; ++w) {
      const auto first = all.begin() + std::ptrdiff_t(w * kNotesOfWarp);
      const auto end = std::find_if(first, first + kMostStepNotes,
                                    [](const StepNote& note) { return note.unused == kNoNote; });
      if (end != first) warps.push_back({std::int64_t(w), {first, end}});
    }
    if (warps.empty()) return warps;
    const std::uint32_t launch =
        warps[0].notes[0].begin;  // the clock has 32 bits and may pass zero behind it
    for (WarpNotes& warp : warps)
      for (StepNote& note : warp.notes) note.begin -= launch, note.end -= launch;
    return warps;
  }

 private:
  void* memory_ = nullptr;
  StampState state_;
};

// The last step that was noted; nullptr where none was.
const StepNote* last_step(const std::vector<WarpNotes>& warps) {
  const StepNote* last = nullptr;
  for (const WarpNotes& warp : warps)
    for (const StepNote& note : warp.notes)
      if (note.of == NoteOf::step && note.name && (!last || note.begin > last->begin)) last = &note;
  return last;
}
// When the first warp noted this step; 0 where none did.
std::uint32_t begin_of(const std::vector<WarpNotes>& warps, const StepNote& step) {
  for (const WarpNotes& warp : warps)
    for (const StepNote& note : warp.notes)
      if (note.of == NoteOf::step && note.name == step.name && note.index == step.index) return note.begin;
  return 0;
}

// Launches that note down; in the middle of them by `time`, what the notes say that is to be compared.
class Launches {
 public:
  Launches(const RungCode& code, const lab::DeviceBinding& binding, lab::LaunchLog& log)
      : code_(code), binding_(binding), log_(log) {}
  // Nothing after an error.
  template <class F>
  std::vector<WarpNotes> median(Notes& notes, F&& time) {
    if (!log_.error.empty()) return {};
    log_.stamps = &notes.state();
    code_.run(&log_, binding_);
    log_.stamps = nullptr;
    std::vector<std::vector<WarpNotes>> all;
    for (int i = -1; i < kLaunches && log_.error.empty(); ++i) {  // one to warm up
      notes.clear();
      code_.run(&log_, binding_);
      if (log_.error.empty()) log_.check(cudaDeviceSynchronize(), "stamped kernel");
      if (i >= 0) all.push_back(notes.fetch());
    }
    if (!log_.error.empty()) return {};
    std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return time(a) < time(b); });
    return std::move(all[kLaunches / 2]);
  }

 private:
  const RungCode& code_;
  const lab::DeviceBinding& binding_;
  lab::LaunchLog& log_;
};

}  // namespace

bool has_notes(const RungInfo& rung) { return stamped(rung) != nullptr; }

Result<StepNotes> note_steps(const RungInfo& rung, const lab::DeviceBinding& binding) {
  lab::LaunchLog log;
  log.keep_facts = false;
  Notes notes(log);
  Launches launches(*stamped(rung), binding, log);
  StepNotes noted{launches.median(notes,
                                  [](const auto& warps) {
                                    const StepNote* last = last_step(warps);
                                    return last ? last->begin : 0;
                                  }),
                  0};
  if (const StepNote* const last = last_step(noted.warps)) {
    notes.state().only = last->name;
    const auto time = [&](const auto& warps) { return begin_of(warps, *last); };
    const std::uint32_t quiet = time(launches.median(notes, time));
    if (quiet > 0) noted.slowdown = double(time(noted.warps)) / quiet;
  }
  if (!log.error.empty()) return Error{Exit::worker_died, {"the GPU reported an error: {0}", {log.error}}};
  return noted;
}

}  // namespace lockstep::cuda
