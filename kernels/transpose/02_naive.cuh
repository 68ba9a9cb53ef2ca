// 02 naive: reads run along rows, but neighbouring lanes write n floats apart:
// 32 sectors for 32 floats.
// Any n. Blocks of 32 x 8 threads move tiles of 32 x 32 elements, four rows per
// thread.
#pragma once
#include "kernels/lab.cuh"

template <class P>
LAB_KERNEL void transpose(View<const float, P> in, View<float, P> out,
                          int n) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (row + j < n && col < n)
      out[col * n + row + j] = in[(row + j) * n + col];
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> in, View<float, P> out,
            int n) {
  const int tiles = ceil_div(n, 32);
  gpu.launch("transpose", transpose<P>, {tiles, tiles}, {32, 8}, in, out, n);
}
