// What the rungs of this ladder are launched with, and what a thread can ask
// the GPU about its place. Only where time is taken; elsewhere there is one SM,
// and no clock.
#pragma once
#include "kernels/lab.cuh"
#include "kernels/architecture/sizes.hpp"

struct Settings {
  int blocks, threads, registers;
  int shared_bytes;  // dynamic, per block: not used, but limits the blocks
  int turns, skew;
  int cluster;       // blocks of one
};

#if defined(__CUDA_ARCH__) && !defined(LAB_TRACED)
LAB_DEVICE unsigned sm_id() {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}
LAB_DEVICE unsigned warp_slot() {
  unsigned slot;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot));
  return slot;
}
// All SMs read the same clock; its low half wraps after 4 s.
LAB_DEVICE unsigned now_ns() {
  unsigned now;
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(now));
  return now;
}
#else
LAB_DEVICE unsigned sm_id() { return 0; }
LAB_DEVICE unsigned warp_slot() { return 0; }
LAB_DEVICE unsigned now_ns() { return 0; }
#endif

// Blocks start as clusters only where time is taken.
#if !defined(__CUDACC__) || defined(LAB_TRACED) || \
    (defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900)
#undef __cluster_dims__
#define __cluster_dims__(...)
#endif

// Calls f with so many values as each thread is to keep beside its work.
template <class F>
void for_held(const Settings& s, F f) {
  if (s.registers <= 24) f(std::integral_constant<int, 0>{});
  else if (s.registers <= 64) f(std::integral_constant<int, 48>{});
  else f(std::integral_constant<int, 110>{});
}

// Calls f with the blocks of a cluster.
template <class F>
void for_cluster(const Settings& s, F f) {
  if (s.cluster <= 2) f(std::integral_constant<int, 2>{});
  else if (s.cluster <= 4) f(std::integral_constant<int, 4>{});
  else f(std::integral_constant<int, 8>{});
}
