// 01 fma: FMAs that wait for each other. One warp and one chain: latency; 32
// warps and four chains: how many the SM takes. The factors come from memory,
// so that the compiler knows none of them; they are 1 and 2, and the sum stays
// a number that an int holds.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <int kChains, class P>
LAB_KERNEL void fma(View<int, P> out, View<int, P> clocks,
                    View<const int, P> next, int repeat) {
  float x[kChains];
  for (int c = 0; c < kChains; ++c) x[c] = float(next[c]);
  const float a = float(next[1]), b = float(next[2]);
  int begin = 0, end = 0;
  for (int pass = 0; pass < 2; ++pass) {    // in the second, a and b are there
    __syncthreads();
    begin = int(clock());
#pragma unroll 16
    for (int k = 0; k < repeat; ++k)
      for (int c = 0; c < kChains; ++c) x[c] = x[c] * a + b;
    end = int(clock());
  }
  float sum = 0;
  for (int c = 0; c < kChains; ++c) sum += x[c];
  out[threadIdx.x] = int(sum);
  write_clocks<P>(clocks, begin, end);
}

template <class P>
void launch(Launcher<P>& gpu, View<int, P> out, View<int, P> clocks,
            View<const int, P> next, const Settings& s) {
  for_chains(s, [&](auto chains) {
    gpu.launch("fma", fma<chains(), P>, {1}, {32 * s.warps},
               out, clocks, next, s.repeat);
  });
}
