// The traced launch: windows of blocks, each thread with its own event slots, folded window by window.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/cuda/launcher.cuh"
#include "kernels/cuda/trace_state.cuh"

namespace lockstep::cuda {

struct TracePlan {
  std::uint32_t capacity = 64;  // events per thread, from the emulator's count
  std::uint32_t copy_capacity = 0;
  std::uint64_t window_bytes = 256ull << 20;  // device memory for one window's slots
  std::int64_t only_block = -1;               // trace this block alone
  std::vector<RenamedView> renamed;           // by the emulator's count of them
};

class TraceSession final : public TracedLaunches {
 public:
  using OnLaunch = std::function<void(const lab::LaunchFacts&)>;
  using OnBlock = std::function<bool(std::int64_t block, std::span<const std::span<const Access>> threads,
                                     std::span<const std::span<const Copy>> copies)>;
  TraceSession(TracePlan plan, OnLaunch on_launch, OnBlock on_block);
  ~TraceSession();
  TraceSession(const TraceSession&) = delete;
  TraceSession& operator=(const TraceSession&) = delete;

  void run(const char* name, const void* kernel, lab::Extents grid, lab::Extents block,
           long dynamic_shared_bytes, const StartWindow& start_window) override;
  void refuse(const std::string& why) override { log_.refuse(why); }
  void host(lab::LaunchLog::Host what, void* to, const void* from, std::size_t bytes) override;

  const std::string& error() const { return log_.error; }
  std::uint64_t dropped() const { return dropped_; }  // events without a slot
  double traced_ms() const { return traced_ms_; }     // of all windows
  bool stopped() const { return stopped_; }

 private:
  struct Window;
  bool reserve(std::uint64_t threads);
  bool run_window(Window& window, const StartWindow& start_window);
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
