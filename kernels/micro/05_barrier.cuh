// 05 barrier: nothing but barriers. What one costs, by the number of warps that
// meet.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <int kChains, class P>
LAB_KERNEL void barrier(View<int, P> out, View<int, P> clocks,
                        View<const int, P> next, int repeat) {
  __syncthreads();
  const int begin = int(clock());
#pragma unroll 16
  for (int k = 0; k < repeat; ++k) __syncthreads();
  const int end = int(clock());
  out[threadIdx.x] = next[0] + kChains;
  write_clocks<P>(clocks, begin, end);
}

template <class P>
void launch(Launcher<P>& gpu, View<int, P> out, View<int, P> clocks,
            View<const int, P> next, const Settings& s) {
  for_chains(s, [&](auto chains) {
    gpu.launch("barrier", barrier<chains(), P>, {1}, {32 * s.warps},
               out, clocks, next, s.repeat);
  });
}
