// What every rung of this ladder is launched with, and the two sides of its
// branches: chains of FMAs, long enough for the branch itself to cost little.
#pragma once
#include "kernels/divergence/sizes.hpp"
#include "kernels/lab.cuh"

struct Settings {
  int n, threads, rounds, ways;
  float share;  // of the elements: those below it
};

template <class P>
struct Arrays {
  View<const float, P> in;
  View<float, P> out;
  View<int, P> clocks;  // cycles that each thread took for its rounds
};

LAB_DEVICE float rise(float x) {
#pragma unroll
  for (int j = 0; j < kFmas; ++j) x = fmaf(x, kKeep, kUp);
  return x;
}
LAB_DEVICE float fall(float x) {
#pragma unroll
  for (int j = 0; j < kFmas; ++j) x = fmaf(-x, kKeep, kDown);
  return x;
}

// The SM's clock, once x is there: what never happens would have to be decided
// before. Only where time is taken; the picture's builds have no clock.
LAB_DEVICE int cycle_of(float x) {
#if defined(__CUDA_ARCH__) && !defined(LAB_TRACED)
  if (x > 1e30f) __trap();
  return int(clock());
#else
  (void)x;
  return 0;
#endif
}
