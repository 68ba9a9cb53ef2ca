// 08 warptile: one level more between block and thread. Each warp owns a
// rectangle of the tile, its lanes placed so that half the wavefronts serve it.
// The products run there and back, so that each shares an operand with the one
// before. C is stored float by float: a float4 would tie the sums to the
// register banks of B. One barrier per tile is enough, because the copy goes to
// the buffer that every thread has left. Any m; n and k are multiples of 4.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

// Of a whole tile no element need be asked whether it exists.
constexpr std::true_type kWhole;
constexpr std::false_type kCut;

template <int kBM, int kBN, int kBK, int kT, class P>
LAB_KERNEL_OF(kBM * kBN / (kT * kT), 2)
void gemm(View<const float, P> a, View<const float, P> b, View<float, P> c,
          int m, int n, int k) {
  constexpr int kWM = 4 * kT, kWN = 8 * kT;  // a warp's rectangle: 4 x 8 lanes
  constexpr int kAcross = kBN / kWN, kThreads = kBM / kWM * kAcross * 32;
  DYNAMIC_SHARED(float, a_tile, 2 * kBK, kBM + 4, 0);
  DYNAMIC_SHARED(float4, b_tile, 2 * kBK, kBN / 4, 2 * kBK * (kBM + 4) * 4);
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const int x = warp % kAcross * (kWN / 4) + lane / 2 % 8;  // in 4 columns
  const int y = warp / kAcross * (kWM / 4) + lane % 2 + lane / 16 * 2;  // rows
  const int row0 = blockIdx.y * kBM, col0 = blockIdx.x * kBN;
  const bool inside = row0 + kBM <= m && col0 + kBN <= n;
  float sum[kT][kT] = {};
  const auto copy = [&](int k0, int buffer, auto whole) {
    for (int i = 0; i < kBM * kBK / kThreads; ++i) {
      const int row = tid / kBK + i * (kThreads / kBK), p = tid % kBK;
      const bool here = whole || (row0 + row < m && k0 + p < k);
      copy_async_if(here, a_tile[buffer * kBK + p][row],
                    a[(row0 + row) * k + k0 + p]);
    }
    for (int i = 0; i < kBK * kBN / 4 / kThreads; ++i) {
      const int p = (tid + i * kThreads) / (kBN / 4), unit = tid % (kBN / 4);
      const bool here = whole || (k0 + p < k && col0 + 4 * unit < n);
      copy_async_if(here, b_tile[buffer * kBK + p][unit],
                    as<const float4>(b)[(k0 + p) * (n / 4) + col0 / 4 + unit]);
    }
  };
  const auto fetch = [&](int tile, int buffer) {
    if (inside && (tile + 1) * kBK <= k) copy(tile * kBK, buffer, kWhole);
    else copy(tile * kBK, buffer, kCut);
  };
  fetch(0, 0);
  copy_async_commit();
  for (int tile = 0, use = 0; tile * kBK < k; ++tile, use = 1 - use) {
    copy_async_wait<0>();
    __syncthreads();

    if ((tile + 1) * kBK < k) fetch(tile + 1, 1 - use);
    copy_async_commit();
#pragma unroll
    for (int p = 0; p < kBK; ++p) {
      float a_value[kT], b_value[kT];
      for (int i = 0; i < kT; i += 4)
        put4(&a_value[i], as<float4>(a_tile)[use * kBK + p][y + i]);
      for (int j = 0; j < kT; j += 4)
        put4(&b_value[j], b_tile[use * kBK + p][x + j * 2]);
      for (int j = 0; j < kT; ++j)
        for (int t = 0; t < kT; ++t) {
          const int i = j % 2 ? kT - 1 - t : t;        // there and back
          sum[i][j] += a_value[i] * b_value[j];
        }
    }
  }
  for (int i = 0; i < kT; ++i)
    for (int j = 0; j < kT; ++j) {
      LAB_ITERATION(i * kT + j);
      const int row = row0 + (y + i / 4 * 4) * 4 + i % 4;
      const int col = col0 + (x + j / 4 * 8) * 4 + j % 4;
      if (inside || (row < m && col < n)) c[row * n + col] = sum[i][j];
    }
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> a, View<const float, P> b,
            View<float, P> c, const Settings& s) {
  using Small = Shape<32, 32, 8>;
  using Medium = Shape<64, 64, 8>;
  using Large = Shape<128, 128, 32>;
  for_tile<Small, Medium, Large>(gpu, s, [&](auto t) {
    constexpr int kT = t.bm == 32 ? 4 : 8, kThreads = t.bm * t.bn / (kT * kT);
    constexpr int kBytes = 2 * t.bk * (t.bm + 4 + t.bn) * 4;
    gpu.launch_shared("gemm", gemm<t.bm, t.bn, t.bk, kT, P>, t.grid(s),
                      {kThreads}, kBytes, a, b, c, s.m, s.n, s.k);
  });
}
