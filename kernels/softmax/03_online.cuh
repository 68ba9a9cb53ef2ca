// 03 online: sum while the maximum is still open. A tile has its own maximum
// m_j and sum l_j; where it moves the maximum from m to m', the sum so far
// shrinks by e^(m - m'): l' = l e^(m - m') + l_j e^(m_j - m'). Two reads
// instead of three. Any rows, cols. Blocks of 4 warps, a row per warp; a lane
// takes every 32nd score of a tile.
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
  float m = -INFINITY, l = 0;                       // of all tiles so far
  for (int j = 0; j * kTile < cols; ++j) {
    begin_step("tile", j);
    float x[kTile / 32], m_j = -INFINITY, l_j = 0;  // of this tile
    for (int i = 0; i < kTile / 32; ++i) {
      const int col = j * kTile + i * 32 + lane;
      x[i] = -INFINITY;
      if (col < cols) x[i] = float(T(in[row * cols + col]));
      m_j = fmaxf(m_j, x[i]);
    }
    m_j = warp_max(m_j);
    for (int i = 0; i < kTile / 32; ++i) l_j += expf(x[i] - finite(m_j));
    l_j = warp_sum(l_j);
    const float m_new = fmaxf(m, m_j);
    const float factor = expf(m - finite(m_new));
    l = l * factor + l_j * expf(m_j - finite(m_new));
    m = m_new;
    show_if(lane == 0, "m_j", row, m_j);
    show_if(lane == 0, "l_j", row, l_j);
    show_if(lane == 0, "factor", row, factor);
    show_if(lane == 0, "m", row, m);
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
