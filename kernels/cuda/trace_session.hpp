// The traced launch: windows of blocks, each thread with its own event slots, folded window by window.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/model/event.hpp"
#include "kernels/cuda/launcher.cuh"

#ifdef __CUDACC__
#define LOCKSTEP_DEVICE __device__ inline
#else
#define LOCKSTEP_DEVICE inline
#endif

namespace lockstep::cuda {

// In constant memory while a window runs.
struct TraceState {
  Access* slots = nullptr;          // [threads of the window][capacity]
  std::uint32_t* counts = nullptr;  // [threads of the window]
  std::uint32_t capacity = 0;
  Copy* copies = nullptr;  // [threads of the window][copy_capacity]
  std::uint32_t* copy_counts = nullptr;
  std::uint32_t* copy_groups = nullptr;  // the open commit group of each thread
  std::uint32_t copy_capacity = 0;
  unsigned long long first_block = 0;  // of the window, linear
  unsigned grid_x = 1, grid_y = 1, grid_z = 1;
};

LOCKSTEP_DEVICE void issue_copy(const TraceState& s, std::uint64_t t, Copy copy) {
  const std::uint32_t k = s.copy_counts[t]++;
  if (k >= s.copy_capacity) return;
  copy.group = s.copy_groups[t];
  s.copies[t * s.copy_capacity + k] = copy;
}
LOCKSTEP_DEVICE std::uint32_t copies_kept(const TraceState& s, std::uint64_t t) {
  return s.copy_counts[t] < s.copy_capacity ? s.copy_counts[t] : s.copy_capacity;
}
LOCKSTEP_DEVICE void commit_copies(const TraceState& s, std::uint64_t t) {
  for (std::uint32_t k = 0; k < copies_kept(s, t); ++k) {
    Copy& c = s.copies[t * s.copy_capacity + k];
    if (c.group == s.copy_groups[t]) c.commit = s.counts[t];
  }
  ++s.copy_groups[t];
}
LOCKSTEP_DEVICE void wait_copies(const TraceState& s, std::uint64_t t, std::uint32_t pending) {
  for (std::uint32_t k = 0; k < copies_kept(s, t); ++k) {
    Copy& c = s.copies[t * s.copy_capacity + k];
    if (!c.wait && c.group + pending < s.copy_groups[t]) c.wait = s.counts[t];
  }
}

struct TracePlan {
  std::uint32_t capacity = 64;  // events per thread, from the emulator's count
  std::uint32_t copy_capacity = 0;
  std::uint64_t window_bytes = 256ull << 20;  // device memory for one window's slots
  std::int64_t only_block = -1;               // trace this block alone
};

class TraceSession {
 public:
  using OnLaunch = std::function<void(const lab::LaunchFacts&)>;
  using OnBlock = std::function<bool(std::int64_t block, std::span<const std::span<const Access>> threads,
                                     std::span<const std::span<const Copy>> copies)>;
  TraceSession(TracePlan plan, OnLaunch on_launch, OnBlock on_block);
  ~TraceSession();
  TraceSession(const TraceSession&) = delete;
  TraceSession& operator=(const TraceSession&) = delete;

  // Called by the launcher: start_window(state, blocks) launches one window and returns CUDA's error.
  void run(const char* name, const void* kernel, lab::Extents grid, lab::Extents block,
           long dynamic_shared_bytes,
           const std::function<int(const TraceState&, unsigned blocks)>& start_window);

  void refuse(const std::string& why) { log_.refuse(why); }
  const std::string& error() const { return log_.error; }
  std::uint64_t dropped() const { return dropped_; }  // events without a slot
  double traced_ms() const { return traced_ms_; }     // of all windows
  bool stopped() const { return stopped_; }

 private:
  struct Window;
  bool reserve(std::uint64_t threads);
  bool run_window(Window& window, const std::function<int(const TraceState&, unsigned)>& start_window);
  bool fetch_and_fold(const Window& window);

  TracePlan plan_;
  OnLaunch on_launch_;
  OnBlock on_block_;
  lab::LaunchLog log_;
  TraceState state_;
  std::uint64_t reserved_threads_ = 0;
  std::vector<Access> events_;
  std::vector<std::uint32_t> counts_;
  std::vector<Copy> copies_;
  std::vector<std::uint32_t> copy_counts_;
  std::uint64_t dropped_ = 0;
  double traced_ms_ = 0;
  bool stopped_ = false;
};

}  // namespace lockstep::cuda
