// 06 vectorized: 16 bytes per access, from global and from shared memory. The
// tile of A is turned over on its way, so that neighbours in a column stand
// side by side. A thread's kT x kT square is split into pieces of 4 x 4, so
// that the lanes of a warp read neighbouring units of 16 bytes.
// Any m; n and k are multiples of 4.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <int kBM, int kBN, int kBK, int kT, class P>
LAB_KERNEL void gemm(View<const float, P> a, View<const float, P> b,
                     View<float, P> c, int m, int n, int k) {
  constexpr int kX = kBN / kT, kY = kBM / kT, kThreads = kX * kY;
  SHARED(float, a_tile, kBK, kBM + 4);     // padded: no two lanes share a bank
  SHARED(float4, b_tile, kBK, kBN / 4);
  const int tid = threadIdx.x, x = tid % kX, y = tid / kX;
  const int row0 = blockIdx.y * kBM, col0 = blockIdx.x * kBN;
  float sum[kT][kT] = {};
  for (int k0 = 0; k0 < k; k0 += kBK) {
    for (int e = tid; e < kBM * kBK / 4; e += kThreads) {
      const int row = e / (kBK / 4), p = e % (kBK / 4) * 4;
      const float4 v =
          load_if(row0 + row < m && k0 + p < k,
                  as<const float4>(a)[((row0 + row) * k + k0 + p) / 4]);
      a_tile[p][row] = v.x;
      a_tile[p + 1][row] = v.y;
      a_tile[p + 2][row] = v.z;
      a_tile[p + 3][row] = v.w;
    }
    for (int e = tid; e < kBK * kBN / 4; e += kThreads) {
      const int p = e / (kBN / 4), unit = e % (kBN / 4);
      b_tile[p][unit] =
          load_if(k0 + p < k && col0 + 4 * unit < n,
                  as<const float4>(b)[(k0 + p) * (n / 4) + col0 / 4 + unit]);
    }

    __syncthreads();

    for (int p = 0; p < kBK; ++p) {
      float a_value[kT], b_value[kT];
      for (int i = 0; i < kT; i += 4)
        put4(&a_value[i], as<float4>(a_tile)[p][i / 4 * kY + y]);
      for (int j = 0; j < kT; j += 4)
        put4(&b_value[j], b_tile[p][j / 4 * kX + x]);
      for (int i = 0; i < kT; ++i)
        for (int j = 0; j < kT; ++j) sum[i][j] += a_value[i] * b_value[j];
    }

    __syncthreads();
  }
  for (int i = 0; i < kT; ++i)
    for (int j = 0; j < kT; j += 4) {
      LAB_ITERATION(i * kT + j);
      const int row = row0 + (i / 4 * kY + y) * 4 + i % 4;
      const int col = col0 + (j / 4 * kX + x) * 4;
      if (row < m && col < n)
        as<float4>(c)[(row * n + col) / 4] = get4(&sum[i][j]);
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
