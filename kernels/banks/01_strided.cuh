// 01 strided: lane i goes to the word offset + i * stride. Lanes that want
// different words of one bank take turns.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class T, int kChains, bool kStore, class P>
LAB_KERNEL void access(View<int, P> out, View<int, P> clocks,
                       int stride, int offset, int repeat) {
  SHARED(int, tile, kTileWords);
  constexpr int kWords = sizeof(T) / 4;              // per access
  const int words = offset + 31 * stride + 32 * kChains;
  for (int i = threadIdx.x; i < words; i += blockDim.x) tile[i] = i / kWords;
  __syncthreads();

  const int lane = threadIdx.x % 32;
  const int word = offset + lane * stride;
  const auto access = [&](int element) -> decltype(auto) {
    return as<T>(tile)[element];
  };
  int begin, end;
  out[threadIdx.x] =
      measure<T, kChains, kStore>(tile, word, repeat, access, begin, end);
  write_clocks<P>(clocks, begin, end);
}

template <class P>
void launch(Launcher<P>& gpu, View<int, P> out, View<int, P> clocks,
            const Settings& s) {
  for_access(s, [&](auto word, auto chains, auto store) {
    gpu.launch("access", access<decltype(word), chains(), store(), P>, {1},
               {32 * s.warps}, out, clocks, s.stride, s.offset, s.repeat);
  });
}
