// The CPU's clock and the GPU's %globaltimer on one axis, and what single launches cost by them.
#pragma once
#include <cuda_runtime.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

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
// between the CPU's two, and the fastest of many exchanges says it best. The clocks drift apart: times
// between two alignments are placed on the line between them.
class ClockPair {
 public:
  ClockPair() = default;
  ~ClockPair();
  ClockPair(const ClockPair&) = delete;
  ClockPair& operator=(const ClockPair&) = delete;
  std::string align();  // "" or what failed; once before and once behind what is to be placed
  std::int64_t cpu_ns_of(unsigned long long gpu) const;
  // +-: half an exchange, a step of the GPU's timer, and how far an alignment stood from the line between its
  // neighbours.
  double error_us() const;
  double step_us() const { return step_us_; }

 private:
  struct Alignment {
    unsigned long long gpu = 0;
    std::int64_t offset_ns = 0;  // CPU's time less the GPU's
    double half_trip_us = 0;
  };
  static std::int64_t offset_at(const Alignment& a, const Alignment& b, unsigned long long gpu);
  std::string exchange(Alignment& best);
  std::vector<Alignment> alignments_;
  double step_us_ = 0;
  void* pinned_ = nullptr;
};

// Each cost by itself, with kernels that do nothing but stamp; graph_launch is left 0. `graphs`: whether this
// machine makes graphs; without, their costs are left 0 too.
Result<LaunchCosts> measure_launch_costs(ClockPair& clocks, bool graphs);

}  // namespace lockstep::cuda
