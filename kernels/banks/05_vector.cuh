// 05 vector: a column again, 8 or 16 bytes per lane. The lanes go through the
// banks in groups of 16 or 8, so that the fewest wavefronts are 2 or 4. At 16
// bytes, pitch 32 takes 32 of them, and pitch 36 takes 4.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class T, int kChains, bool kStore, class P>
LAB_KERNEL void access(View<int, P> out, View<int, P> clocks,
                       int pitch, int column, int repeat) {
  SHARED(int, tile, kTileWords);
  constexpr int kWords = sizeof(T) / 4;              // per access
  const int words = 31 * pitch + column + 32 * kChains;
  for (int i = threadIdx.x; i < words; i += blockDim.x) tile[i] = i / kWords;
  __syncthreads();

  const int lane = threadIdx.x % 32;
  const int word = lane * pitch + column;
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
               {32 * s.warps}, out, clocks, s.pitch, s.column, s.repeat);
  });
}
