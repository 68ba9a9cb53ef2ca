// What a warpgroup has in its registers after its products, on its way to C.
#pragma once
#include "kernels/bulk.cuh"

// The sums of a warpgroup: row by row of 8 columns, two neighbours per lane.
template <int kBN, class P>
LAB_DEVICE void store_sums(View<float, P> c, const float* sum, int row0,
                           int col0, int m, int n) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  for (int j = 0; j < kBN / 8; ++j)
    for (int r = 0; r < 2; ++r) {
      LAB_ITERATION(2 * j + r);
      const int row = row0 + warp * 16 + r * 8 + lane / 4;
      const int col = col0 + 8 * j + lane % 4 * 2;
      if (row < m && col < n)
        as<float2>(c)[(row * n + col) / 2] =
            make_float2(sum[4 * j + 2 * r], sum[4 * j + 2 * r + 1]);
    }
}

// The same by the copy engine: a warp puts 32 columns of its 16 rows into a box
// of its own in shared memory and goes on to the next 32 while that one leaves.
template <int kBN, class C, class Tile>
LAB_DEVICE void send_sums(const C& c, Tile tile, const float* sum, int row0,
                          int col0) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int part = 0; part < kBN / 32; ++part) {
    const int box = (warp % 8 * 2 + part % 2) * 16;     // its first row in tile
    if (lane == 0) stores_read<1>();                    // the one before last
    __syncwarp();
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r) {
        const int y = r * 8 + lane / 4, unit = (2 * j + lane % 4 / 2) ^ y % 8;
        const float* two = sum + 4 * (4 * part + j) + 2 * r;
        as<float2>(tile)[box + y][2 * unit + lane % 2] =
            make_float2(two[0], two[1]);
      }
    store_fence();                                      // for the copy engine
    __syncwarp();
    if (lane == 0) {
      store_box(c, row0 + warp % 4 * 16, col0 + 32 * part, tile[box][0]);
      stores_commit();
    }
  }
}
