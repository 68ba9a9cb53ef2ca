// What the rungs of this ladder are launched with.
#pragma once
#include "kernels/lab.cuh"
#include "kernels/graphs/sizes.hpp"

struct Settings {
  int kernels, branches, rounds, bucket;
};

// As many rounds as make the kernel as long as it is to be; each needs the one before, and all of them are seen in the
// result.
LAB_DEVICE unsigned mixed(unsigned x, int rounds) {
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) x = x * 1664525u + 1013904223u;
  return x;
}
