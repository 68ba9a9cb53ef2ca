// 05 reg2d: each thread computes a square of kT x kT elements of C. kT floats
// of A and kT of B give kT * kT products: the registers are the next tile.
// Any m, n, k.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <int kBM, int kBN, int kBK, int kT, class P>
LAB_KERNEL void gemm(View<const float, P> a, View<const float, P> b,
                     View<float, P> c, int m, int n, int k) {
  constexpr int kX = kBN / kT, kY = kBM / kT, kThreads = kX * kY;
  SHARED(float, a_tile, kBM, kBK);
  SHARED(float, b_tile, kBK, kBN);
  const int tid = threadIdx.x, x = tid % kX * kT, y = tid / kX * kT;
  const int row0 = blockIdx.y * kBM, col0 = blockIdx.x * kBN;
  float sum[kT][kT] = {};
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
      float a_value[kT], b_value[kT];
      for (int i = 0; i < kT; ++i) a_value[i] = a_tile[y + i][p];
      for (int j = 0; j < kT; ++j) b_value[j] = b_tile[p][x + j];
      for (int i = 0; i < kT; ++i)
        for (int j = 0; j < kT; ++j) sum[i][j] += a_value[i] * b_value[j];
    }

    __syncthreads();
  }
  for (int i = 0; i < kT; ++i)
    for (int j = 0; j < kT; ++j) {
      LAB_ITERATION(i * kT + j);
      if (row0 + y + i < m && col0 + x + j < n)
        c[(row0 + y + i) * n + col0 + x + j] = sum[i][j];
    }
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> a, View<const float, P> b,
            View<float, P> c, const Settings& s) {
  using Small = Shape<32, 32, 8>;
  using Medium = Shape<64, 64, 8>;
  using Large = Shape<128, 128, 8>;
  for_tile<Small, Medium, Large>(gpu, s, [&](auto t) {
    constexpr int kT = t.bm == 32 ? 4 : 8, kThreads = t.bm * t.bn / (kT * kT);
    gpu.launch("gemm", gemm<t.bm, t.bn, t.bk, kT, P>, t.grid(s), {kThreads},
               a, b, c, s.m, s.n, s.k);
  });
}
