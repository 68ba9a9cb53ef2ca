// 15 handoff: each warp waits at a barrier of its own until the warp before it
// has arrived there, and arrives at the next one's: a word goes around the
// block.
#pragma once
#include "kernels/bulk.cuh"
#include "settings.cuh"

template <int kChains, class P>
LAB_KERNEL void handoff(View<int, P> out, View<int, P> clocks,
                        View<const int, P> next, int repeat) {
  SHARED_BARRIERS(turn, 32);
  if (threadIdx.x == 0) {
    for (int c = 0; c < 32; ++c) init_barrier(turn[c], 1);
    publish_barriers();
  }
  __syncthreads();                          // the barriers are there
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int after = (warp + 1) % (blockDim.x / 32);
  const int begin = int(clock());
  for (int k = 0; k < repeat * kChains; ++k) {
    if (warp == 0 && lane == 0) arrive(turn[after]);
    wait_phase(turn[warp], k & 1);
    if (warp > 0 && lane == 0) arrive(turn[after]);
    __syncwarp();
  }
  const int end = int(clock());
  out[threadIdx.x] = next[0] + kChains;
  write_clocks<P>(clocks, begin, end);
}

template <class P>
void launch(Launcher<P>& gpu, View<int, P> out, View<int, P> clocks,
            View<const int, P> next, const Settings& s) {
  for_chains(s, [&](auto chains) {
    gpu.launch("handoff", handoff<chains(), P>, {1}, {32 * s.warps},
               out, clocks, next, s.repeat);
  });
}
