// 06 shared: loads from shared memory, each from where the one before says.
// Neighbouring lanes go to neighbouring banks.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <int kChains, class P>
LAB_KERNEL void shared(View<int, P> out, View<int, P> clocks,
                       View<const int, P> next, int repeat) {
  SHARED(int, tile, 32 * 4 * 32);                    // [warp][chain][lane]
  for (int i = threadIdx.x; i < 32 * 4 * 32; i += blockDim.x)
    tile[i] = next[i];
  int at[kChains];
  for (int c = 0; c < kChains; ++c)
    at[c] = (threadIdx.x / 32 * kChains + c) * 32 + threadIdx.x % 32;
  __syncthreads();
  const int begin = int(clock());
#pragma unroll 16
  for (int k = 0; k < repeat; ++k)
    for (int c = 0; c < kChains; ++c) at[c] = tile[at[c]];
  const int end = int(clock());
  int sum = 0;
  for (int c = 0; c < kChains; ++c) sum += at[c];
  out[threadIdx.x] = sum;
  write_clocks<P>(clocks, begin, end);
}

template <class P>
void launch(Launcher<P>& gpu, View<int, P> out, View<int, P> clocks,
            View<const int, P> next, const Settings& s) {
  for_chains(s, [&](auto chains) {
    gpu.launch("shared", shared<chains(), P>, {1}, {32 * s.warps},
               out, clocks, next, s.repeat);
  });
}
