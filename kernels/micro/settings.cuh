// What the microbenchmarks are launched with: one block on one SM.
#pragma once
#include "kernels/lab.cuh"

struct Settings {
  int warps;   // of the block
  int chains;  // of each thread, independent of each other: 1 or 4
  int repeat;  // operations per chain
  int size;    // of a product its columns, of a box its rows: 64, 128 or 256
};

// Calls f with the number of chains as a constant.
template <class F>
void for_chains(const Settings& s, F f) {
  if (s.chains == 1) f(std::integral_constant<int, 1>{});
  else f(std::integral_constant<int, 4>{});
}

// And with the size.
template <class F>
void for_sizes(const Settings& s, F f) {
  for_chains(s, [&](auto chains) {
    if (s.size == 64) f(chains, std::integral_constant<int, 64>{});
    else if (s.size == 128) f(chains, std::integral_constant<int, 128>{});
    else f(chains, std::integral_constant<int, 256>{});
  });
}

// Each warp's first and last cycle.
template <class P>
LAB_DEVICE void write_clocks(View<int, P> clocks, int begin, int end) {
  if (threadIdx.x % 32 == 0) {
    clocks[threadIdx.x / 32 * 2] = begin;
    clocks[threadIdx.x / 32 * 2 + 1] = end;
  }
}
