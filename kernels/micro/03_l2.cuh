// 03 l2: loads that go around L1, each from where the one before says. The
// first pass brings the elements to L2.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <int kChains, class P>
LAB_KERNEL void l2(View<int, P> out, View<int, P> clocks,
                   View<const int, P> next, int repeat) {
  int at[kChains], begin = 0, end = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int c = 0; c < kChains; ++c)
      at[c] = (threadIdx.x / 32 * kChains + c) * 32 + threadIdx.x % 32;
    __syncthreads();
    begin = int(clock());
#pragma unroll 16
    for (int k = 0; k < repeat; ++k)
      for (int c = 0; c < kChains; ++c) at[c] = __ldcg(&next[at[c]]);
    end = int(clock());
  }
  int sum = 0;
  for (int c = 0; c < kChains; ++c) sum += at[c];
  out[threadIdx.x] = sum;
  write_clocks<P>(clocks, begin, end);
}

template <class P>
void launch(Launcher<P>& gpu, View<int, P> out, View<int, P> clocks,
            View<const int, P> next, const Settings& s) {
  for_chains(s, [&](auto chains) {
    gpu.launch("l2", l2<chains(), P>, {1}, {32 * s.warps},
               out, clocks, next, s.repeat);
  });
}
