// 15 wgmma: four warps multiply 64 rows together. The tensor cores read both
// operands from shared memory by themselves, swizzled as the boxes brought
// them: no thread loads anything. Any m; n and k are multiples of 8.
#pragma once
#include "kernels/bulk.cuh"
#include "settings.cuh"
#include "sums.cuh"

template <int kBM, int kBN, int kStages, class P>
LAB_KERNEL_OF(kBM * 2, 1)
void gemm(LAB_BOXES const Boxes<const bf16, P> a,
          LAB_BOXES const Boxes<const bf16, P> b, View<float, P> c, int m,
          int n, int k) {
  DYNAMIC_BOXES(bf16, a_tile, kStages * kBM, 0);
  DYNAMIC_BOXES(bf16, b_tile, kStages * kBN, kStages * kBM * 128);
  SHARED_BARRIERS(full, kStages);
  const int tid = threadIdx.x, group = tid / 128;
  const int row0 = blockIdx.y * kBM, col0 = blockIdx.x * kBN;
  const auto fetch = [&](int k0, int use) {
    arrive_expecting(full[use], (kBM + kBN) * 128);
    copy_box(a_tile[use * kBM][0], a, row0, k0, full[use]);
    for (int j = 0; j < kBN; j += 64)
      copy_box(b_tile[use * kBN + j][0], b, k0, col0 + j, full[use]);
  };
  if (tid == 0) {
    for (int s = 0; s < kStages; ++s) init_barrier(full[s], 1);
    publish_barriers();
    for (int s = 0; s < kStages; ++s)
      if (s * 64 < k) fetch(s * 64, s);
  }
  __syncthreads();                                 // the barriers are there

  float sum[kBN / 2];
  int use = 0, phase = 0;
  for (int k0 = 0; k0 < k; k0 += 64) {
    wait_phase(full[use], phase);                  // all of its bytes are here
    sums_fence();
    for (int p = 0; p < 64; p += 16) {
      const auto rows = rows_of(a_tile[use * kBM + group * 64][p]);
      const auto columns = columns_of(b_tile[use * kBN + p][0], 64 * 128);
      multiply<kBN>(sum, rows, columns, k0 + p > 0);
    }
    products_commit();
    products_wait<0>();                            // the sums are there
    __syncthreads();                               // both groups have used it

    const int next = k0 + kStages * 64;
    if (tid == 0 && next < k) fetch(next, use);
    use = use + 1 < kStages ? use + 1 : 0;
    if (use == 0) phase ^= 1;
  }
  store_sums<kBN, P>(c, sum, row0 + group * 64, col0, m, n);
}

template <class P>
void launch(Launcher<P>& gpu, View<const bf16, P> a, View<const bf16, P> b,
            View<float, P> c, const Settings& s) {
  for_tile<Shape<64, 64, 64>, Shape<128, 128, 64>>(gpu, s, [&](auto t) {
    constexpr int kStages = 4, kBytes = kStages * (t.bm + t.bn) * 128;
    gpu.launch_shared("gemm", gemm<t.bm, t.bn, kStages, P>, t.grid(s),
                      {t.bm * 2}, kBytes, boxes(a, s.m, s.k, t.bm),
                      boxes(b, s.k, s.n, 64), c, s.m, s.n, s.k);
  });
}
