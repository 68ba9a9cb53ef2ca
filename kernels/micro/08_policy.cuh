// 08 policy: FMAs of which every warp always has one that can issue. Where a
// scheduler stays with a warp, the others end later, one after another, and
// their order tells which it takes next; where they take turns, all end
// together.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <int kChains, class P>
LAB_KERNEL void policy(View<int, P> out, View<int, P> clocks,
                       View<const int, P> next, int repeat) {
  float x[2 * kChains];     // at four chains, twice what hides an FMA's latency
  for (int c = 0; c < 2 * kChains; ++c) x[c] = float(next[c]);
  const float a = float(next[0]), b = float(next[33]);
  int begin = 0, end = 0;
  for (int pass = 0; pass < 2; ++pass) {    // in the second, a and b are there
    __syncthreads();
    begin = int(clock());
#pragma unroll 16
    for (int k = 0; k < repeat; ++k)
      for (int c = 0; c < 2 * kChains; ++c) x[c] = x[c] * a + b;
    end = int(clock());
  }
  float sum = 0;
  for (int c = 0; c < 2 * kChains; ++c) sum += x[c];
  out[threadIdx.x] = int(sum);
  write_clocks<P>(clocks, begin, end);
}

template <class P>
void launch(Launcher<P>& gpu, View<int, P> out, View<int, P> clocks,
            View<const int, P> next, const Settings& s) {
  for_chains(s, [&](auto chains) {
    gpu.launch("policy", policy<chains(), P>, {1}, {32 * s.warps},
               out, clocks, next, s.repeat);
  });
}
