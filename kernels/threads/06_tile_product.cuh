// 06 tile_product: a matrix product, a block for each tile of `out` and a
// thread for each of its elements. Here depth is the inner extent: `a` has that
// many columns, `b` that many rows.
// Any extents: threads beyond either edge are masked.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void tile_product(View<const float, P> a, View<const float, P> b,
                             View<float, P> out, int width, int height,
                             int depth) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < height && col < width) {
    float sum = 0;
#pragma unroll 1  // the rows that a warp reads, one after the other
    for (int k = 0; k < depth; ++k)
      sum += a[row * depth + k] * b[k * width + col];
    out[row * width + col] = sum;
  }
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> a, View<const float, P> b,
            View<float, P> out, Settings s) {
  const Extents grid{ceil_div(s.width, s.block.x),
                     ceil_div(s.height, s.block.y)};
  gpu.launch("tile_product", tile_product<P>, grid, s.block, a, b, out,
             s.width, s.height, s.depth);
}
