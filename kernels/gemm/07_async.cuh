// 07 async: two buffers. While the block multiplies one tile, cp.async fetches
// the next one into the other buffer, past the registers.
// Any m; n and k are multiples of 4.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <int kBM, int kBN, int kBK, int kT, class P>
LAB_KERNEL void gemm(View<const float, P> a, View<const float, P> b,
                     View<float, P> c, int m, int n, int k) {
  constexpr int kX = kBN / kT, kY = kBM / kT, kThreads = kX * kY;
  SHARED(float, a_tile, 2 * kBK, kBM + 4);   // two buffers, one below the other
  SHARED(float4, b_tile, 2 * kBK, kBN / 4);
  const int tid = threadIdx.x, x = tid % kX, y = tid / kX;
  const int row0 = blockIdx.y * kBM, col0 = blockIdx.x * kBN;
  float sum[kT][kT] = {};
  const auto fetch = [&](int k0, int buffer) {
    for (int i = 0; i < kBM * kBK / kThreads; ++i) {
      const int row = tid / kBK + i * (kThreads / kBK), p = tid % kBK;
      copy_async_if(row0 + row < m && k0 + p < k, a_tile[buffer + p][row],
                    a[(row0 + row) * k + k0 + p]);
    }
    for (int i = 0; i < kBK * kBN / 4 / kThreads; ++i) {
      const int p = (tid + i * kThreads) / (kBN / 4), unit = tid % (kBN / 4);
      copy_async_if(k0 + p < k && col0 + 4 * unit < n, b_tile[buffer + p][unit],
                    as<const float4>(b)[(k0 + p) * (n / 4) + col0 / 4 + unit]);
    }
  };
  fetch(0, 0);
  copy_async_commit();
  for (int k0 = 0, use = 0; k0 < k; k0 += kBK, use ^= kBK) {
    if (k0 + kBK < k) fetch(k0 + kBK, use ^ kBK);
    copy_async_commit();
    copy_async_wait<1>();         // all but the newest group: this tile is here

    __syncthreads();

    for (int p = use; p < use + kBK; ++p) {
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
