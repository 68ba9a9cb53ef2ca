// 16 past_phase: waits for a phase that has long been over.
#pragma once
#include "kernels/bulk.cuh"
#include "settings.cuh"

template <int kChains, class P>
LAB_KERNEL void past_phase(View<int, P> out, View<int, P> clocks,
                           View<const int, P> next, int repeat) {
  SHARED_BARRIERS(never, kChains);
  if (threadIdx.x == 0) {
    for (int c = 0; c < kChains; ++c) init_barrier(never[c], 1);
    publish_barriers();
  }
  __syncthreads();                          // the barriers are there
  const int begin = int(clock());
#pragma unroll 4
  for (int k = 0; k < repeat; ++k)
    for (int c = 0; c < kChains; ++c) wait_phase(never[c], 1);
  const int end = int(clock());
  out[threadIdx.x] = next[0] + kChains;
  write_clocks<P>(clocks, begin, end);
}

template <class P>
void launch(Launcher<P>& gpu, View<int, P> out, View<int, P> clocks,
            View<const int, P> next, const Settings& s) {
  for_chains(s, [&](auto chains) {
    gpu.launch("past_phase", past_phase<chains(), P>, {1}, {32 * s.warps},
               out, clocks, next, s.repeat);
  });
}
