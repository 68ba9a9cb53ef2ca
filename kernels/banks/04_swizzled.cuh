// 04 swizzled: element (row, column) stands in column ^ row. A column is 32 banks, and no word is spent.
// One block. Every element holds its own index, so that each load says where the next one goes: a true dependent
// chain. With kChains = 4 and 32 warps there is always another access to issue: throughput.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class T, int kChains, bool kStore, class P>
LAB_KERNEL void access(View<int, P> out, View<int, P> clocks, int column, int repeat) {
  SHARED(int, tile, 8192);
  constexpr int kWords = sizeof(T) / 4;              // per access
  const int words = 31 * 32 + 32 + 32 * kChains;
  for (int i = threadIdx.x; i < words; i += blockDim.x) tile[i] = i / kWords;
  __syncthreads();

  const int lane = threadIdx.x % 32;
  const int word = lane * 32 + (column ^ lane);
  int at[kChains];                                   // elements; the chains stand whole rows of 32 banks apart
  for (int c = 0; c < kChains; ++c) at[c] = (word + 32 * c) / kWords;
  int rest = 0;
  const int begin = int(clock());
#pragma unroll 16                                    // so that the loop's own cycles do not show
  for (int k = 0; k < repeat; ++k) {
    for (int c = 0; c < kChains; ++c) {
      if constexpr (kStore) {
        as<T>(tile)[at[c]] = splat<T>(at[c] + 1);
      } else {
        const T element = as<T>(tile)[at[c]];
        at[c] = first_word(element);
        rest += other_words(element);                // so that the compiler reads all of it
      }
    }
    if constexpr (kStore) __syncwarp();              // others may look: no store can be left out
  }
  const int end = int(clock());

  int sum = rest;
  for (int c = 0; c < kChains; ++c)
    if constexpr (kStore) sum += tile[at[c] * kWords];
    else sum += at[c];
  out[threadIdx.x] = sum;
  if (lane == 0) {
    clocks[threadIdx.x / 32 * 2] = begin;
    clocks[threadIdx.x / 32 * 2 + 1] = end;
  }
}

template <class P>
void launch(Launcher<P>& gpu, View<int, P> out, View<int, P> clocks, Settings s) {
  for_access(s, [&](auto word, auto chains, auto store) {
    gpu.launch("access", access<decltype(word), chains(), store(), P>, {1}, {32 * s.warps}, out, clocks, s.column, s.repeat);
  });
}
