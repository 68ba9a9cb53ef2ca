// 03 three_d: slices, rows and columns. A warp still takes its 32 lanes along
// x first, then y, then z.
// Any extents: threads beyond one of the three edges are masked.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void index(View<const float, P> in, View<float, P> out, int width,
                      int height, int depth) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int slice = blockIdx.z * blockDim.z + threadIdx.z;
  const int i = (slice * height + row) * width + col;
  if (slice < depth && row < height && col < width)
    out[i] = 2 * in[i];
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> in, View<float, P> out,
            Settings s) {
  const Extents grid{ceil_div(s.width, s.block.x),
                     ceil_div(s.height, s.block.y),
                     ceil_div(s.depth, s.block.z)};
  gpu.launch("index", index<P>, grid, s.block, in, out, s.width, s.height,
             s.depth);
}
