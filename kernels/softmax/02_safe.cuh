// 02 safe: e^(x - m) with m the row's maximum is never above 1, and the factor
// e^-m cancels in the quotient. But m must be known before the sum begins: the
// row is read three times, for the maximum, for the sum, and to divide. Any
// rows, cols. Blocks of 4 warps, a row per warp; a lane takes every 32nd score
// of a tile.
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
  float m = -INFINITY, l = 0;               // maximum of x, sum of e^(x - m)
  for (int j = 0; j * kTile < cols; ++j) {
    begin_step("max", j);
    for (int i = 0; i < kTile / 32; ++i) {
      const int col = j * kTile + i * 32 + lane;
      if (col < cols) m = fmaxf(m, float(T(in[row * cols + col])));
    }
    m = warp_max(m);
    show_if(lane == 0, "m", row, m);
  }
  for (int j = 0; j * kTile < cols; ++j) {
    begin_step("sum", j);
    float l_j = 0;                                  // of this lane in tile j
    for (int i = 0; i < kTile / 32; ++i) {
      const int col = j * kTile + i * 32 + lane;
      if (col < cols)
        l_j += expf(float(T(in[row * cols + col])) - finite(m));
    }
    l += warp_sum(l_j);
    show_if(lane == 0, "l", row, l);
  }
  const float share = l > 0 ? 1 / l : 0;    // a row of -infinity alone gives 0
  for (int j = 0; j * kTile < cols; ++j) {
    begin_step("divide", j);
    for (int i = 0; i < kTile / 32; ++i) {
      const int col = j * kTile + i * 32 + lane;
      if (col < cols)
        out[row * cols + col] =
            T(expf(float(T(in[row * cols + col])) - finite(m)) * share);
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
