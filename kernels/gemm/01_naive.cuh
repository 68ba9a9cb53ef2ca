// 01 naive: one thread per element of C, straight from the formula.
// Neighbouring lanes take neighbouring rows, so every lane reads a row of A of
// its own: 32 sectors for 32 floats. Any m, n, k.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void gemm(View<const float, P> a, View<const float, P> b,
                     View<float, P> c, int m, int n, int k) {
  const int row = blockIdx.y * 32 + threadIdx.x;
  const int col = blockIdx.x * 8 + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + col];
  c[row * n + col] = sum;
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> a, View<const float, P> b,
            View<float, P> c, const Settings& s) {
  const Extents grid{ceil_div(s.n, 8), ceil_div(s.m, 32)};
  gpu.launch("gemm", gemm<P>, grid, {32, 8}, a, b, c, s.m, s.n, s.k);
}
