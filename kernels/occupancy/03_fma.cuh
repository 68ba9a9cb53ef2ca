// 03 fma: each thread adds up outer products of 8 by 12 numbers, one per step:
// 96 sums in registers, and 96 FMAs that do not wait for one another. What a
// warp has under way replaces other warps. Blocks of up to 512 threads: 128
// registers each are all that an SM has.
#pragma once
#include "kernels/lab.cuh"
#include "kernels/occupancy/sizes.hpp"
#include "settings.cuh"

template <int kM, int kN, class P>
LAB_KERNEL_OF(512)
void products(View<const float, P> in, View<float, P> out, int n, int steps) {
  const int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid >= n) return;
  float a[kM], b[kN], sum[kM][kN] = {};
  for (int i = 0; i < kM; ++i)
    a[i] = in[i * kInputColumns + tid % kInputColumns];
  for (int j = 0; j < kN; ++j)
    b[j] = in[(kM + j) * kInputColumns + tid % kInputColumns];
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < kM; ++i) {
#pragma unroll
      for (int j = 0; j < kN; ++j) sum[i][j] += a[i] * b[j];
      a[i] = 1 - a[i];            // in turn: no step is like the one before
    }
  }
  float total = 0;
  for (int i = 0; i < kM; ++i)
    for (int j = 0; j < kN; ++j) total += sum[i][j];
  out[tid] = total;
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> in, View<float, P> out,
            const Settings& s) {
  const int blocks = ceil_div(s.elements, s.threads);
  gpu.launch_shared("products", products<kRows, kCols, P>, {blocks},
                    {s.threads}, s.shared_bytes, in, out, s.elements, s.steps);
}
