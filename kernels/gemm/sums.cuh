// What a warpgroup has in its registers after its products, on its way to C.
#pragma once
#include "kernels/lab.cuh"

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
