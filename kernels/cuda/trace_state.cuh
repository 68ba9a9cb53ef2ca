// What a traced kernel writes into, and what launches it window by window. Every rung's traced build includes
// this, so it includes next to nothing.
#pragma once
#include <cstdint>
#include <string>

#include "app/model/event.hpp"
#include "kernels/cuda/launcher.cuh"
#include "kernels/extents.hpp"

#ifdef __CUDACC__
#define LOCKSTEP_DEVICE __device__ inline
#else
#define LOCKSTEP_DEVICE inline
#endif

namespace lockstep::cuda {

// A shared array whose view is not kFirstSharedView + line, because another file has a SHARED on that line
// too.
struct RenamedView {
  std::uint16_t file = 0, line = 0, view = 0;
};
constexpr unsigned kMostRenamedViews = 32;

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
  unsigned renamed_count = 0;
  RenamedView renamed[kMostRenamedViews];
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

// Launches a window of a kernel and returns CUDA's error. Refers to what it was made of.
class StartWindow {
 public:
  template <class F>
  explicit StartWindow(const F& start)
      : start_(&start), call_([](const void* f, const TraceState& state, unsigned blocks) {
          return (*static_cast<const F*>(f))(state, blocks);
        }) {}
  int operator()(const TraceState& state, unsigned blocks) const { return call_(start_, state, blocks); }

 private:
  const void* start_;
  int (*call_)(const void* start, const TraceState& state, unsigned blocks);
};

// What the launcher of a traced rung hands its kernels to.
class TracedLaunches {
 public:
  virtual void run(const char* name, const void* kernel, lab::Extents grid, lab::Extents block,
                   long dynamic_shared_bytes, const StartWindow& start_window) = 0;
  virtual void refuse(const std::string& why) = 0;
  // What the host does between the launches; here each call waits until it is done.
  virtual void host(lab::LaunchLog::Host what, void* to, const void* from, std::size_t bytes) = 0;

 protected:
  ~TracedLaunches() = default;
};

}  // namespace lockstep::cuda
