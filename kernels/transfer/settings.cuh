// What the rungs of this ladder are launched with, and what their kernel
// computes of an element: nothing but as many rounds as make it as long as it
// is to be.
#pragma once
#include "kernels/lab.cuh"
#include "kernels/transfer/sizes.hpp"

struct Settings {
  int n, chunk, streams, rounds;
};

LAB_DEVICE float worked(float x, int rounds) {
#pragma unroll 4
  for (int r = 0; r < rounds; ++r) x = x * kKeep + kUp;
  return x;
}
