// 14 tma: one thread asks, and the copy engine brings a whole tile in boxes of
// 64 columns, its 16-byte units swizzled. It counts the bytes that have come at
// a barrier in shared memory. The other threads copy nothing: they wait there.
// Any m; n and k are multiples of 8.
#pragma once
#include "kernels/bulk.cuh"
#include "kernels/matrix.cuh"
#include "settings.cuh"

template <int kBM, int kBN, int kWM, int kWN, int kStages, class P>
LAB_KERNEL_OF(kBM / kWM * (kBN / kWN) * 32, 2)
void gemm(LAB_BOXES const Boxes<const bf16, P> a,
          LAB_BOXES const Boxes<const bf16, P> b, View<float, P> c, int m,
          int n, int k) {
  DYNAMIC_BOXES(bf16, a_tile, kStages * kBM, 0);
  DYNAMIC_BOXES(bf16, b_tile, kStages * kBN, kStages * kBM * 128);
  SHARED_BARRIERS(full, kStages);
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  const int row0 = blockIdx.y * kBM, col0 = blockIdx.x * kBN;
  const int y = warp / (kBN / kWN) * kWM, x = warp % (kBN / kWN) * kWN;
  const auto fetch = [&](int k0, int use) {
    arrive_expecting(full[use], (kBM + kBN) * 128);
    copy_box(a_tile[use * kBM][0], a, row0, k0, full[use]);
    for (int j = 0; j < kBN; j += 64)
      copy_box(b_tile[use * kBN + j][0], b, k0, col0 + j, full[use]);
  };
  if (tid == 0) {
    for (int s = 0; s < kStages; ++s) init_barrier(full[s], 1);
    publish_barriers();
    for (int s = 0; s < kStages - 1; ++s)
      if (s * 64 < k) fetch(s * 64, s);
  }
  __syncthreads();                                 // the barriers are there

  float sum[kWM / 16][kWN / 8][4] = {};
  int use = 0, fill = kStages - 1, phase = 0;
  for (int k0 = 0; k0 < k; k0 += 64) {
    wait_phase(full[use], phase);                  // all of its bytes are here
    __syncthreads();                               // and the last tile is used

    const int next = k0 + (kStages - 1) * 64;
    if (tid == 0 && next < k) fetch(next, fill);
#pragma unroll
    for (int p = 0; p < 64; p += 16) {
      unsigned a_value[kWM / 16][4], b_value[kWN / 16][4];
      for (int i = 0; i < kWM / 16; ++i) {
        const int row = use * kBM + y + 16 * i + lane % 16;
        const int unit = (p / 8 + lane / 16) ^ row % 8;
        load_matrix_x4(a_value[i], as<uint4>(a_tile)[row][unit]);
      }
      for (int j = 0; j < kWN / 16; ++j) {
        const int col = x + 16 * j + lane / 16 * 8;
        const int row = use * kBN + col / 64 * 64 + p + lane % 16;
        const int unit = col % 64 / 8 ^ row % 8;
        load_matrix_x4_trans(b_value[j], as<uint4>(b_tile)[row][unit]);
      }
      for (int j = 0; j < kWN / 8; j += 2)
        for (int s = 0; s < kWM / 16; ++s) {
          const int i = j % 4 ? kWM / 16 - 1 - s : s;          // there and back
          mma_m16n8k16(sum[i][j], a_value[i], b_value[j / 2]);
          mma_m16n8k16(sum[i][j + 1], a_value[i], b_value[j / 2] + 2);
        }
    }
    fill = use;
    use = use + 1 < kStages ? use + 1 : 0;
    if (use == 0) phase ^= 1;
  }
  for (int i = 0; i < kWM / 16; ++i)
    for (int j = 0; j < kWN / 8; ++j)
      for (int r = 0; r < 2; ++r) {
        LAB_ITERATION((i * kWN / 8 + j) * 2 + r);
        const int row = row0 + y + 16 * i + 8 * r + lane / 4;
        const int col = col0 + x + 8 * j + lane % 4 * 2;
        if (row < m && col < n)
          as<float2>(c)[(row * n + col) / 2] =
              make_float2(sum[i][j][2 * r], sum[i][j][2 * r + 1]);
      }
}

template <class P>
void launch(Launcher<P>& gpu, View<const bf16, P> a, View<const bf16, P> b,
            View<float, P> c, const Settings& s) {
  for_tile<Shape<64, 64, 64>, Shape<128, 128, 64>>(gpu, s, [&](auto t) {
    constexpr int kWM = t.bm / 2, kWN = t.bn / 2, kStages = 3;
    constexpr int kBytes = kStages * (t.bm + t.bn) * 128;
    gpu.launch_shared("gemm", gemm<t.bm, t.bn, kWM, kWN, kStages, P>,
                      t.grid(s), {128}, kBytes,
                      boxes(a, s.m, s.k, t.bm), boxes(b, s.k, s.n, 64), c,
                      s.m, s.n, s.k);
  });
}
