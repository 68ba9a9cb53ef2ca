// The CPU's clock and the GPU's %globaltimer on one axis, and what single launches cost by them.
#pragma once
#include <cuda_runtime.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "app/model/pipeline.hpp"

namespace lockstep::cuda {

inline std::int64_t cpu_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

__device__ __forceinline__ unsigned long long gpu_ns() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// The CPU writes a number, the GPU answers with its time, the CPU sees the answer: the GPU's time lies
// between the CPU's two, and the fastest of many exchanges says it best.
class ClockPair {
 public:
  ClockPair() = default;
  ~ClockPair();
  ClockPair(const ClockPair&) = delete;
  ClockPair& operator=(const ClockPair&) = delete;
  std::string align();        // "" or what failed
  std::string align_again();  // after the measurement: the drift is part of the error
  std::int64_t cpu_ns_of(unsigned long long gpu) const { return std::int64_t(gpu) + offset_ns_; }
  double error_us() const { return error_us_; }
  double step_us() const { return step_us_; }

 private:
  std::string exchange(std::int64_t& offset_ns, double& half_trip_us);
  std::int64_t offset_ns_ = 0;
  double error_us_ = 0, step_us_ = 0;
  void* pinned_ = nullptr;
};

// Each cost by itself, with kernels that do nothing but stamp; graph_launch is left 0.
Result<LaunchCosts> measure_launch_costs(const ClockPair& clocks);

}  // namespace lockstep::cuda
