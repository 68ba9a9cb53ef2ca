// 17 arrive: one lane of each warp arrives and does not wait.
#pragma once
#include "kernels/bulk.cuh"
#include "settings.cuh"

template <int kChains, class P>
LAB_KERNEL void arrive_only(View<int, P> out, View<int, P> clocks,
                            View<const int, P> next, int repeat) {
  SHARED_BARRIERS(many, kChains);
  if (threadIdx.x == 0) {
    for (int c = 0; c < kChains; ++c) init_barrier(many[c], 1 << 19);
    publish_barriers();
  }
  __syncthreads();                          // the barriers are there
  const int begin = int(clock());
  if (threadIdx.x % 32 == 0) {
#pragma unroll 16
    for (int k = 0; k < repeat; ++k)
      for (int c = 0; c < kChains; ++c) arrive(many[c]);
  }
  __syncwarp();
  const int end = int(clock());
  out[threadIdx.x] = next[0] + kChains;
  write_clocks<P>(clocks, begin, end);
}

template <class P>
void launch(Launcher<P>& gpu, View<int, P> out, View<int, P> clocks,
            View<const int, P> next, const Settings& s) {
  for_chains(s, [&](auto chains) {
    gpu.launch("arrive_only", arrive_only<chains(), P>, {1}, {32 * s.warps},
               out, clocks, next, s.repeat);
  });
}
