// 02 coalesced: neighbouring lanes take neighbouring columns. A warp reads one
// float of A, and 32 neighbours of B: 4 sectors for 32 floats. Any m, n, k.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void gemm(View<const float, P> a, View<const float, P> b,
                     View<float, P> c, int m, int n, int k) {
  const int row = blockIdx.y * 8 + threadIdx.y;
  const int col = blockIdx.x * 32 + threadIdx.x;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + col];
  c[row * n + col] = sum;
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> a, View<const float, P> b,
            View<float, P> c, const Settings& s) {
  const Extents grid{ceil_div(s.n, 32), ceil_div(s.m, 8)};
  gpu.launch("gemm", gemm<P>, grid, {32, 8}, a, b, c, s.m, s.n, s.k);
}
