// 16 pipelined: a warp of its own asks for the tiles. It waits until a buffer
// is empty, the groups that multiply wait until it is full: nobody stops the
// whole block any more. One group of products is on its way while the next is
// begun. Any m; n and k are multiples of 8.
#pragma once
#include "kernels/bulk.cuh"
#include "settings.cuh"
#include "sums.cuh"

template <int kBM, int kBN, int kStages, class P>
LAB_KERNEL_OF(kBM * 2 + 32, 1)
void gemm(LAB_BOXES const Boxes<const bf16, P> a,
          LAB_BOXES const Boxes<const bf16, P> b, View<float, P> c, int m,
          int n, int k) {
  DYNAMIC_BOXES(bf16, a_tile, kStages * kBM, 0);
  DYNAMIC_BOXES(bf16, b_tile, kStages * kBN, kStages * kBM * 128);
  SHARED_BARRIERS(full, kStages);
  SHARED_BARRIERS(empty, kStages);
  const int tid = threadIdx.x, group = tid / 128;
  const int row0 = blockIdx.y * kBM, col0 = blockIdx.x * kBN;
  if (tid == 0) {
    for (int s = 0; s < kStages; ++s) init_barrier(full[s], 1);
    for (int s = 0; s < kStages; ++s) init_barrier(empty[s], kBM / 64);
    publish_barriers();
  }
  __syncthreads();                                 // the barriers are there

  int use = 0, phase = 0;
  if (tid >= kBM * 2) {                            // the producer's warp
    if (tid > kBM * 2) return;
    for (int k0 = 0; k0 < k; k0 += 64) {
      wait_phase(empty[use], phase ^ 1);           // at first all are empty
      arrive_expecting(full[use], (kBM + kBN) * 128);
      copy_box(a_tile[use * kBM][0], a, row0, k0, full[use]);
      for (int j = 0; j < kBN; j += 64)
        copy_box(b_tile[use * kBN + j][0], b, k0, col0 + j, full[use]);
      use = use + 1 < kStages ? use + 1 : 0;
      if (use == 0) phase ^= 1;
    }
    return;
  }
  float sum[kBN / 2];
  int last = -1;                                   // used, not yet given back
  for (int k0 = 0; k0 < k; k0 += 64) {
    wait_phase(full[use], phase);
    sums_fence();
    for (int p = 0; p < 64; p += 16) {
      const auto rows = rows_of(a_tile[use * kBM + group * 64][p]);
      const auto columns = columns_of(b_tile[use * kBN + p][0], 64 * 128);
      multiply<kBN>(sum, rows, columns, k0 + p > 0);
    }
    products_commit();
    products_wait<1>();                            // those of the tile before
    if (last >= 0 && tid % 128 == 0) arrive(empty[last]);
    last = use;
    use = use + 1 < kStages ? use + 1 : 0;
    if (use == 0) phase ^= 1;
  }
  products_wait<0>();
  store_sums<kBN, P>(c, sum, row0 + group * 64, col0, m, n);
}

template <class P>
void launch(Launcher<P>& gpu, View<const bf16, P> a, View<const bf16, P> b,
            View<float, P> c, const Settings& s) {
  for_tile<Shape<64, 64, 64>, Shape<128, 128, 64>>(gpu, s, [&](auto t) {
    constexpr int kStages = 4, kBytes = kStages * (t.bm + t.bn) * 128;
    gpu.launch_shared("gemm", gemm<t.bm, t.bn, kStages, P>, t.grid(s),
                      {t.bm * 2 + 32}, kBytes, boxes(a, s.m, s.k, t.bm),
                      boxes(b, s.k, s.n, 64), c, s.m, s.n, s.k);
  });
}
