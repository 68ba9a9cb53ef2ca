// 05 swizzled: element (row, col) of the tile stands in column col ^ row. Rows
// and columns both touch 32 different banks, and no byte is spent on padding.
// Any n. Blocks of 32 x 8 threads move tiles of 32 x 32 elements, four rows per
// thread.
#pragma once
#include "kernels/lab.cuh"

template <class P>
LAB_KERNEL void transpose(View<const float, P> in, View<float, P> out,
                          int n) {
  SHARED(float, tile, 32, 32);
  int col = blockIdx.x * 32 + threadIdx.x;
  int row = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    const int x = threadIdx.x ^ (threadIdx.y + j);
    if (row + j < n && col < n)
      tile[threadIdx.y + j][x] = in[(row + j) * n + col];
  }

  __syncthreads();

  col = blockIdx.y * 32 + threadIdx.x;
  row = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    const int x = threadIdx.x ^ (threadIdx.y + j);
    if (row + j < n && col < n)
      out[(row + j) * n + col] = tile[threadIdx.x][x];
  }
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> in, View<float, P> out,
            int n) {
  const int tiles = ceil_div(n, 32);
  gpu.launch("transpose", transpose<P>, {tiles, tiles}, {32, 8}, in, out, n);
}
