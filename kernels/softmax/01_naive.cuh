// 01 naive: the formula as it stands, e^x over the sum of all e^x. A warp takes
// a row, tile by tile: once for the sum, once more to divide. e^x is infinite
// in fp32 from x = 88.73 on, and then the row ends in infinity / infinity =
// NaN. Any rows, cols. Blocks of 4 warps; a lane takes every 32nd score of a
// tile.
#pragma once
#include "kernels/half.cuh"
#include "kernels/lab.cuh"
#include "settings.cuh"

template <int kTile, class T, class P>
LAB_KERNEL_OF(128)
void softmax(View<const T, P> in, View<T, P> out, int rows, int cols) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * 4 + threadIdx.x / 32;
  if (row >= rows) return;
  float l = 0;                                      // sum of e^x
  for (int j = 0; j * kTile < cols; ++j) {
    begin_step("sum", j);
    float l_j = 0;                                  // of this lane in tile j
    for (int i = 0; i < kTile / 32; ++i) {
      const int col = j * kTile + i * 32 + lane;
      if (col < cols) l_j += expf(float(T(in[row * cols + col])));
    }
    l += warp_sum(l_j);
    show_if(lane == 0, "l", row, l);
  }
  for (int j = 0; j * kTile < cols; ++j) {
    begin_step("divide", j);
    for (int i = 0; i < kTile / 32; ++i) {
      const int col = j * kTile + i * 32 + lane;
      if (col < cols)
        out[row * cols + col] = T(expf(float(T(in[row * cols + col]))) / l);
    }
  }
}

template <class T, class P>
void launch(Launcher<P>& gpu, View<const T, P> in, View<T, P> out,
            const Settings& s) {
  for_tile(gpu, s, [&](auto tile) {
    gpu.launch("softmax", softmax<tile(), T, P>, {ceil_div(s.rows, 4)}, {128},
               in, out, s.rows, s.cols);
  });
}
