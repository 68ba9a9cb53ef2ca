// 04 fused: a block keeps its row in shared memory, so that global memory is
// read once. Warps reduce by shuffles, and leave one number each in shared
// memory for the others: two barriers, for the maximum and for the sum. Any
// rows; cols up to the 227 KB of a block's shared memory. Blocks of 8 warps, a
// row per block.
#pragma once
#include "kernels/half.cuh"
#include "kernels/lab.cuh"
#include "settings.cuh"

template <int kCols, class T, class P>
LAB_KERNEL_OF(256)
void softmax(View<const T, P> in, View<T, P> out, int cols) {
  DYNAMIC_SHARED(float, x, 1, kCols, 0);
  SHARED(float, warp_m, 8);
  SHARED(float, warp_l, 8);
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const int row = blockIdx.x;
  begin_step("load", 0);
  float m = -INFINITY, l = 0;               // of the thread, its warp, the row
  for (int col = tid; col < cols; col += 256) {
    const T score = in[row * cols + col];
    x[0][col] = float(score);
    m = fmaxf(m, float(score));
  }
  begin_step("max", 0);
  m = warp_max(m);
  if (lane == 0) warp_m[warp] = m;

  __syncthreads();

  m = warp_max(warp_m[lane % 8]);
  show_if(tid == 0, "m", row, m);
  begin_step("sum", 0);
  for (int col = tid; col < cols; col += 256) {
    const float e = expf(x[0][col] - finite(m));
    x[0][col] = e;
    l += e;
  }
  l = warp_sum(l);
  if (lane == 0) warp_l[warp] = l;

  __syncthreads();

  l = warp_sum(warp_l[lane % 8]) / 4;       // 32 lanes add 8 numbers four times
  show_if(tid == 0, "l", row, l);
  begin_step("divide", 0);
  const float share = l > 0 ? 1 / l : 0;    // a row of -infinity alone gives 0
  for (int col = tid; col < cols; col += 256)
    out[row * cols + col] = T(x[0][col] * share);
}

template <class T, class P>
void launch(Launcher<P>& gpu, View<const T, P> in, View<T, P> out,
            const Settings& s) {
  const auto with_room = [&](auto cols) {
    const long bytes = cols() * long(sizeof(float));
    gpu.launch_shared("softmax", softmax<cols(), T, P>, {s.rows}, {256}, bytes,
                      in, out, s.cols);
  };
  if (s.cols <= 1024) with_room(std::integral_constant<int, 1024>{});
  else if (s.cols <= 4096) with_room(std::integral_constant<int, 4096>{});
  else if (s.cols <= 8192) with_room(std::integral_constant<int, 8192>{});
  else if (s.cols <= 16384) with_room(std::integral_constant<int, 16384>{});
  else with_room(std::integral_constant<int, 57344>{});
}
