// 04 spilled: the text of 03, compiled so that two blocks of 1024 threads fit
// an SM: 32 registers each. Full occupancy, and the sums no longer fit: most of
// them are spilled to local memory, read and written again at every step.
#pragma once
#include "kernels/lab.cuh"
#include "kernels/occupancy/sizes.hpp"
#include "settings.cuh"

template <int kM, int kN, class P>
LAB_KERNEL_OF(1024, 2)
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
