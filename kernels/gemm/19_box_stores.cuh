// 19 box_stores: C leaves by the copy engine as well. Each warp puts its sums
// into boxes in shared memory, and whole boxes go out while it prepares the
// next ones: the threads have nothing to do with the stores any more. Any m; n
// and k are multiples of 8.
#pragma once
#include "kernels/bulk.cuh"
#include "settings.cuh"
#include "sums.cuh"

constexpr int kBlocks = 132;                       // SMs of an H100 or H200

struct Place {
  int row, col;                                    // in tiles
};
LAB_DEVICE Place place_of(int tile, int rows, int cols) {
  const int first = tile / (8 * cols) * 8, within = tile % (8 * cols);
  const int height = min(8, rows - first);
  return {first + within % height, within / height};
}

template <int kBN, int kStages, class P>
LAB_KERNEL_OF(384, 1)
void gemm(LAB_BOXES const Boxes<const bf16, P> a,
          LAB_BOXES const Boxes<const bf16, P> b,
          LAB_BOXES const Boxes<float, P> c, int m, int n, int k) {
  constexpr int kBM = 128;
  DYNAMIC_BOXES(bf16, a_tile, kStages * kBM, 0);
  DYNAMIC_BOXES(bf16, b_tile, kStages * kBN, kStages * kBM * 128);
  DYNAMIC_BOXES(float, c_tile, 256, kStages * (kBM + kBN) * 128);
  SHARED_BARRIERS(full, kStages);
  SHARED_BARRIERS(empty, kStages);
  const int tid = threadIdx.x, group = tid / 128 - 1;
  const int rows = ceil_div(m, kBM), cols = ceil_div(n, kBN);
  if (tid == 0) {
    for (int s = 0; s < kStages; ++s) init_barrier(full[s], 1);
    for (int s = 0; s < kStages; ++s) init_barrier(empty[s], 2);
    publish_barriers();
  }
  __syncthreads();                                 // the barriers are there

  int use = 0, phase = 0;
  if (group < 0) {                                 // the producer's group
    give_registers<40>();
    if (tid > 0) return;
    for (int tile = blockIdx.x; tile < rows * cols; tile += gridDim.x) {
      const Place at = place_of(tile, rows, cols);
      for (int k0 = 0; k0 < k; k0 += 64) {
        wait_phase(empty[use], phase ^ 1);         // at first all are empty
        arrive_expecting(full[use], (kBM + kBN) * 128);
        copy_box(a_tile[use * kBM][0], a, at.row * kBM, k0, full[use]);
        for (int j = 0; j < kBN; j += 64)
          copy_box(b_tile[use * kBN + j][0], b, k0, at.col * kBN + j,
                   full[use]);
        use = use + 1 < kStages ? use + 1 : 0;
        if (use == 0) phase ^= 1;
      }
    }
  } else {
    take_registers<232>();
    for (int tile = blockIdx.x; tile < rows * cols; tile += gridDim.x) {
      const Place at = place_of(tile, rows, cols);
      float sum[kBN / 2];
      int last = -1;                               // used, not yet given back
      for (int k0 = 0; k0 < k; k0 += 64) {
        wait_phase(full[use], phase);
        sums_fence();
        for (int p = 0; p < 64; p += 16) {
          const auto rows_a = rows_of(a_tile[use * kBM + group * 64][p]);
          const auto columns = columns_of(b_tile[use * kBN + p][0], 64 * 128);
          multiply<kBN>(sum, rows_a, columns, k0 + p > 0);
        }
        products_commit();
        products_wait<1>();                        // those of the tile before
        if (last >= 0 && tid % 128 == 0) arrive(empty[last]);
        last = use;
        use = use + 1 < kStages ? use + 1 : 0;
        if (use == 0) phase ^= 1;
      }
      products_wait<0>();
      if (tid % 128 == 0) arrive(empty[last]);
      send_sums<kBN>(c, c_tile, sum, at.row * kBM + group * 64, at.col * kBN);
    }
    if (tid % 32 == 0) stores_read<0>();           // c_tile is this block's
  }
}

template <class P>
void launch(Launcher<P>& gpu, View<const bf16, P> a, View<const bf16, P> b,
            View<float, P> c, const Settings& s) {
  for_tile<Shape<128, 64, 64>, Shape<128, 256, 64>>(gpu, s, [&](auto t) {
    constexpr int kStages = 4, kRows = kStages * (t.bm + t.bn) + 256;
    const int tiles = ceil_div(s.m, t.bm) * ceil_div(s.n, t.bn);
    gpu.launch_shared("gemm", gemm<t.bn, kStages, P>, {min(tiles, kBlocks)},
                      {384}, kRows * 128, boxes(a, s.m, s.k, t.bm),
                      boxes(b, s.k, s.n, 64), boxes(c, s.m, s.n, 16), s.m,
                      s.n, s.k);
  });
}
