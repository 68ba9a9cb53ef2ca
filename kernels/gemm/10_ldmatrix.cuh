// 10 ldmatrix: a warp fetches four 8 x 8 matrices from shared memory in one instruction, each lane gets its part, B
// turned over on the way. The tiles are swizzled, so that 8 rows hit 8 different units of 16 bytes, and kStages buffers
// keep copies in flight. C leaves through the shared memory that the tiles are done with, in whole lines that L2 need not
// keep. Any m; n and k are multiples of 8.
#pragma once
#include "kernels/lab.cuh"
#include "kernels/matrix.cuh"
#include "settings.cuh"

// Where unit `unit` (16 bytes) of a row of kUnits units stands.
template <int kUnits>
LAB_DEVICE int swizzled(int row, int unit) {
  constexpr int kMixed = kUnits < 8 ? kUnits : 8;   // units that fill, with the rows beside them, all 32 banks
  return unit ^ (row / (8 / kMixed) % kMixed);
}

template <int kBM, int kBN, int kBK, int kWM, int kWN, int kStages, class P>
LAB_KERNEL_OF(kBM / kWM * (kBN / kWN) * 32, 2) void gemm(View<const bf16, P> a, View<const bf16, P> b, View<float, P> c, int m, int n, int k) {
  constexpr int kThreads = kBM / kWM * (kBN / kWN) * 32, kA = kBK / 8, kB = kBN / 8;  // units per row
  DYNAMIC_SHARED(uint4, a_tile, kStages * kBM, kA, 0);
  DYNAMIC_SHARED(uint4, b_tile, kStages * kBK, kB, kStages * kBM * kA * 16);          // starts at this byte
  DYNAMIC_SHARED(float4, c_tile, kThreads / 2, kWN / 4 + 2, 0);                       // over both: 16 rows of every warp
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const int row0 = blockIdx.y * kBM, col0 = blockIdx.x * kBN;
  const int y = warp / (kBN / kWN) * kWM, x = warp % (kBN / kWN) * kWN;
  float sum[kWM / 16][kWN / 8][4] = {};
  const auto fetch = [&](int k0, int buffer) {
    for (int i = 0; i < kBM * kA / kThreads; ++i) {
      const int row = (tid + i * kThreads) / kA, u = tid % kA;
      copy_async_if(row0 + row < m && k0 + 8 * u < k, a_tile[buffer * kBM + row][swizzled<kA>(row, u)], as<const uint4>(a)[(row0 + row) * (k / 8) + k0 / 8 + u]);
    }
    for (int i = 0; i < kBK * kB / kThreads; ++i) {
      const int p = (tid + i * kThreads) / kB, u = tid % kB;
      copy_async_if(k0 + p < k && col0 + 8 * u < n, b_tile[buffer * kBK + p][swizzled<kB>(p, u)], as<const uint4>(b)[(k0 + p) * (n / 8) + col0 / 8 + u]);
    }
  };
  for (int tile = 0; tile < kStages - 1; ++tile) {
    if (tile * kBK < k) fetch(tile * kBK, tile);
    copy_async_commit();
  }
  for (int k0 = 0, use = 0, fill = kStages - 1; k0 < k; k0 += kBK, fill = use, use = use + 1 < kStages ? use + 1 : 0) {
    copy_async_wait<kStages - 2>();                 // all but the newest: this tile is here

    __syncthreads();

    if (k0 + (kStages - 1) * kBK < k) fetch(k0 + (kStages - 1) * kBK, fill);
    copy_async_commit();
    for (int p = 0; p < kBK; p += 16) {
      unsigned a_value[kWM / 16][4], b_value[kWN / 16][4];
      for (int i = 0, row = y + lane % 16; i < kWM / 16; ++i, row += 16)
        load_matrix_x4(a_value[i], a_tile[use * kBM + row][swizzled<kA>(row, p / 8 + lane / 16)]);
      for (int j = 0, row = p + lane % 16; j < kWN / 8; j += 2)   // 16 rows of B, 16 columns: two operands
        load_matrix_x4_trans(b_value[j / 2], b_tile[use * kBK + row][swizzled<kB>(row, x / 8 + j + lane / 16)]);
      for (int j = 0; j < kWN / 8; j += 2)
        for (int s = 0; s < kWM / 16; ++s) {
          const int i = j % 4 ? kWM / 16 - 1 - s : s;   // there and back: the turn keeps its operand of A
          mma_m16n8k16(sum[i][j], a_value[i], b_value[j / 2]);
          mma_m16n8k16(sum[i][j + 1], a_value[i], b_value[j / 2] + 2);
        }
    }
  }
  __syncthreads();

  for (int i = 0; i < kWM / 16; ++i) {
    for (int j = 0; j < kWN / 8; ++j)
      for (int r = 0; r < 2; ++r)
        as<float2>(c_tile)[warp * 16 + 8 * r + lane / 4][4 * j + lane % 4] = make_float2(sum[i][j][2 * r], sum[i][j][2 * r + 1]);
    __syncwarp();
    for (int e = lane; e < 16 * kWN / 4; e += 32) {
      const int p = e / (kWN / 4), q = e % (kWN / 4), row = row0 + y + 16 * i + p, col = col0 + x + 4 * q;
      if (row < m && col < n) __stcs(&as<float4>(c)[(row * n + col) / 4], c_tile[warp * 16 + p][q]);
    }
    __syncwarp();
  }
}

template <class P>
void launch(Launcher<P>& gpu, View<const bf16, P> a, View<const bf16, P> b, View<float, P> c, const Settings& s) {
  for_tile<TileShape<32, 32, 16>, TileShape<128, 128, 32>>(s, [&](auto t) {
    constexpr int kWM = t.bm / 2, kWN = t.bn == 32 ? 32 : 64, kStages = 3;
    gpu.launch_shared("gemm", gemm<t.bm, t.bn, t.bk, kWM, kWN, kStages, P>, t.grid(s), {t.bm / kWM * (t.bn / kWN) * 32},
                      kStages * (t.bm + t.bn) * t.bk * 2, a, b, c, s.m, s.n, s.k);
  });
}
