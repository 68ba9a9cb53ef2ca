// 10 swizzle: padding spends bytes so that rows start in different banks. Here
// units of 16 bytes change places instead: the XOR of row and unit says where.
// No byte is spent, but to reckon where takes twice the instructions, which the
// next rung saves. Any m; n and k are multiples of 8.
#pragma once
#include "kernels/lab.cuh"
#include "kernels/matrix.cuh"
#include "settings.cuh"

// Where unit `unit` of a row of kUnits units stands: 8 units fill the 32 banks,
// so the rows of a group of 8 (of 4, of 2 where rows are shorter) mix theirs.
template <int kUnits>
LAB_DEVICE int swizzled(int row, int unit) {
  constexpr int kMixed = kUnits < 8 ? kUnits : 8;
  return unit ^ (row / (8 / kMixed) % kMixed);
}

// Copies the tile at (row0, col0) of a rows x cols matrix to the rows of `tile`
// from `first` on: in units of 16 bytes, swizzled, zeros beyond the edge.
template <int kRows, int kUnits, int kThreads, class Tile, class Matrix>
LAB_DEVICE void fetch_tile(Tile& tile, int first, const Matrix& from,
                           int row0, int col0, int rows, int cols) {
  const int tid = threadIdx.x, unit = tid % kUnits;
  for (int i = 0; i < kRows * kUnits / kThreads; ++i) {
    const int row = (tid + i * kThreads) / kUnits;
    copy_async_if(row0 + row < rows && col0 + 8 * unit < cols,
                  tile[first + row][swizzled<kUnits>(row, unit)],
                  from[(row0 + row) * (cols / 8) + col0 / 8 + unit]);
  }
}

template <int kBM, int kBN, int kBK, int kWM, int kWN, class P>
LAB_KERNEL void gemm(View<const bf16, P> a, View<const bf16, P> b,
                     View<float, P> c, int m, int n, int k) {
  constexpr int kAcross = kBN / kWN, kThreads = kBM / kWM * kAcross * 32;
  constexpr int kA = kBK / 8, kB = kBN / 8;         // units of 16 bytes per row
  SHARED(uint4, a_tile, 2 * kBM, kA);
  SHARED(uint4, b_tile, 2 * kBK, kB);
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const int row0 = blockIdx.y * kBM, col0 = blockIdx.x * kBN;
  const int y = warp / kAcross * kWM + lane / 4;     // this lane's first row
  const int x = warp % kAcross * kWN, t = lane % 4;
  float sum[kWM / 16][kWN / 8][4] = {};
  const auto fetch = [&](int k0, int use) {
    fetch_tile<kBM, kA, kThreads>(a_tile, use * kBM, as<const uint4>(a),
                                  row0, k0, m, k);
    fetch_tile<kBK, kB, kThreads>(b_tile, use * kBK, as<const uint4>(b),
                                  k0, col0, k, n);
  };
  fetch(0, 0);
  copy_async_commit();
  for (int k0 = 0, use = 0; k0 < k; k0 += kBK, use ^= 1) {
    if (k0 + kBK < k) fetch(k0 + kBK, use ^ 1);
    copy_async_commit();
    copy_async_wait<1>();

    __syncthreads();

    for (int p = 0; p < kBK; p += 16) {
      unsigned a_value[kWM / 16][4], b_value[kWN / 8][2];
      for (int i = 0; i < kWM / 16; ++i)
        for (int r = 0; r < 4; ++r) {                // 8 rows, 8 columns on
          const int row = use * kBM + y + 16 * i + r % 2 * 8;
          const int unit = swizzled<kA>(row, p / 8 + r / 2);
          a_value[i][r] = as<unsigned>(a_tile)[row][4 * unit + t];
        }
      for (int j = 0; j < kWN / 8; ++j)
        for (int r = 0; r < 2; ++r) {
          const int row = use * kBK + p + 2 * t + 8 * r;
          const int unit = swizzled<kB>(row, x / 8 + j);
          const int below = swizzled<kB>(row + 1, x / 8 + j);
          const unsigned low = as<bf16>(b_tile)[row][8 * unit + lane / 4];
          const unsigned high = as<bf16>(b_tile)[row + 1][8 * below + lane / 4];
          b_value[j][r] = low | high << 16;
        }
      for (int i = 0; i < kWM / 16; ++i)
        for (int j = 0; j < kWN / 8; ++j)
          mma_m16n8k16(sum[i][j], a_value[i], b_value[j]);
    }

    __syncthreads();
  }
  for (int i = 0; i < kWM / 16; ++i)
    for (int j = 0; j < kWN / 8; ++j)
      for (int r = 0; r < 2; ++r) {
        LAB_ITERATION((i * (kWN / 8) + j) * 2 + r);
        const int row = row0 + y + 16 * i + 8 * r;
        const int col = col0 + x + 8 * j + 2 * t;
        if (row < m && col < n)
          as<float2>(c)[(row * n + col) / 2] =
              make_float2(sum[i][j][2 * r], sum[i][j][2 * r + 1]);
      }
}

template <class P>
void launch(Launcher<P>& gpu, View<const bf16, P> a, View<const bf16, P> b,
            View<float, P> c, const Settings& s) {
  for_tile<Shape<32, 32, 16>, Shape<128, 128, 32>>(gpu, s, [&](auto t) {
    constexpr int kWM = t.bm == 32 ? 16 : 64, kWN = 32;   // a warp's rectangle
    constexpr int kThreads = t.bm / kWM * (t.bn / kWN) * 32;
    gpu.launch("gemm", gemm<t.bm, t.bn, t.bk, kWM, kWN, P>, t.grid(s),
               {kThreads}, a, b, c, s.m, s.n, s.k);
  });
}
