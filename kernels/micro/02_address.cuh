// 02 address: the integer multiply-add that turns an index into an address
// (IMAD), each waiting for the one before.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <int kChains, class P>
LAB_KERNEL void address(View<int, P> out, View<int, P> clocks,
                        View<const int, P> next, int repeat) {
  unsigned x[kChains];
  for (int c = 0; c < kChains; ++c) x[c] = unsigned(next[c]);
  const unsigned a = unsigned(next[32]), b = unsigned(next[33]);
  int begin = 0, end = 0;
  for (int pass = 0; pass < 2; ++pass) {    // in the second, a and b are there
    __syncthreads();
    begin = int(clock());
#pragma unroll 16
    for (int k = 0; k < repeat; ++k)
      for (int c = 0; c < kChains; ++c) x[c] = x[c] * a + b;
    end = int(clock());
  }
  unsigned sum = 0;
  for (int c = 0; c < kChains; ++c) sum += x[c];
  out[threadIdx.x] = int(sum);
  write_clocks<P>(clocks, begin, end);
}

template <class P>
void launch(Launcher<P>& gpu, View<int, P> out, View<int, P> clocks,
            View<const int, P> next, const Settings& s) {
  for_chains(s, [&](auto chains) {
    gpu.launch("address", address<chains(), P>, {1}, {32 * s.warps},
               out, clocks, next, s.repeat);
  });
}
