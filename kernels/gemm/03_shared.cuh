// 03 shared: the block fetches a tile of A and a tile of B once, and then uses
// every element kTile times from shared memory. Any m, n, k: what lies beyond
// the edge counts as zero.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <int kTile, class P>
LAB_KERNEL void gemm(View<const float, P> a, View<const float, P> b,
                     View<float, P> c, int m, int n, int k) {
  SHARED(float, a_tile, kTile, kTile);
  SHARED(float, b_tile, kTile, kTile);
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, col = blockIdx.x * kTile + x;
  float sum = 0;
  for (int k0 = 0; k0 < k; k0 += kTile) {
    a_tile[y][x] = load_if(row < m && k0 + x < k, a[row * k + k0 + x]);
    b_tile[y][x] = load_if(k0 + y < k && col < n, b[(k0 + y) * n + col]);

    __syncthreads();

    for (int p = 0; p < kTile; ++p) sum += a_tile[y][p] * b_tile[p][x];

    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> a, View<const float, P> b,
            View<float, P> c, const Settings& s) {
  for_tile<Shape<16, 16, 16>, Shape<32, 32, 32>>(gpu, s, [&](auto t) {
    gpu.launch("gemm", gemm<t.bm, P>, t.grid(s), {t.bn, t.bm}, a, b, c,
               s.m, s.n, s.k);
  });
}
