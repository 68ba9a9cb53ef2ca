// 04 reg1d: each thread computes a column of kTM elements of C in registers.
// An element of B comes from shared memory once and is used kTM times.
// Any m, n, k.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <int kBM, int kBN, int kBK, int kTM, class P>
LAB_KERNEL void gemm(View<const float, P> a, View<const float, P> b,
                     View<float, P> c, int m, int n, int k) {
  constexpr int kThreads = kBM * kBN / kTM;
  SHARED(float, a_tile, kBM, kBK);
  SHARED(float, b_tile, kBK, kBN);
  const int tid = threadIdx.x, x = tid % kBN, y = tid / kBN * kTM;
  const int row0 = blockIdx.y * kBM, col0 = blockIdx.x * kBN;
  float sum[kTM] = {};
  for (int k0 = 0; k0 < k; k0 += kBK) {
    for (int e = tid; e < kBM * kBK; e += kThreads) {
      const int row = e / kBK, p = e % kBK;
      a_tile[row][p] = load_if(row0 + row < m && k0 + p < k,
                               a[(row0 + row) * k + k0 + p]);
    }
    for (int e = tid; e < kBK * kBN; e += kThreads) {
      const int p = e / kBN, col = e % kBN;
      b_tile[p][col] = load_if(k0 + p < k && col0 + col < n,
                               b[(k0 + p) * n + col0 + col]);
    }

    __syncthreads();

    for (int p = 0; p < kBK; ++p) {
      const float b_value = b_tile[p][x];
      for (int i = 0; i < kTM; ++i) sum[i] += a_tile[y + i][p] * b_value;
    }

    __syncthreads();
  }
  for (int i = 0; i < kTM; ++i)
    if (row0 + y + i < m && col0 + x < n)
      c[(row0 + y + i) * n + col0 + x] = sum[i];
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> a, View<const float, P> b,
            View<float, P> c, const Settings& s) {
  for_tile<Shape<32, 32, 8>, Shape<64, 64, 8>>(gpu, s, [&](auto t) {
    constexpr int kTM = t.bm / 8, kThreads = t.bm * t.bn / kTM;
    gpu.launch("gemm", gemm<t.bm, t.bn, t.bk, kTM, P>, t.grid(s), {kThreads},
               a, b, c, s.m, s.n, s.k);
  });
}
