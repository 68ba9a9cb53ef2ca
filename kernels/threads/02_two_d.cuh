// 02 two_d: rows and columns. x runs along a row of memory, so that
// neighbouring lanes touch neighbouring elements.
// Any width and height: threads beyond either edge are masked.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void index(View<const float, P> in, View<float, P> out, int width,
                      int height) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < height && col < width)
    out[row * width + col] = 2 * in[row * width + col];
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> in, View<float, P> out,
            Settings s) {
  const Extents grid{ceil_div(s.width, s.block.x),
                     ceil_div(s.height, s.block.y)};
  gpu.launch("index", index<P>, grid, s.block, in, out, s.width, s.height);
}
