// 09 product: warpgroups multiply, and wait until their sums are there: of one
// product latency, of four in a group how long the tensor cores take each.
// Everything is 1, so that a sum counts its products.
#pragma once
#include "kernels/bulk.cuh"
#include "settings.cuh"

template <int kProducts, int kN, class P>
LAB_KERNEL_OF(256, 1)
void product(View<int, P> out, View<int, P> clocks, int repeat) {
  constexpr bf16 kOne = 0x3f80;
  DYNAMIC_BOXES(bf16, a_tile, 128, 0);             // [64 of each group][k]
  DYNAMIC_BOXES(bf16, b_tile, kN, 128 * 128);      // [column][k]
  for (int i = threadIdx.x; i < 128 * 64; i += blockDim.x)
    a_tile[i / 64][i % 64] = kOne;
  for (int i = threadIdx.x; i < kN * 64; i += blockDim.x)
    b_tile[i / 64][i % 64] = kOne;
  store_fence();                            // the tensor cores read them
  const int group = threadIdx.x / 128;
  float sum[kN / 2] = {};
  int begin = 0, end = 0;
  for (int pass = 0; pass < 2; ++pass) {    // the first brings the instructions
    __syncthreads();
    begin = int(clock());
#pragma unroll 2
    for (int k = 0; k < repeat; ++k) {
      sums_fence();
      for (int c = 0; c < kProducts; ++c)
        multiply<kN>(sum, rows_of(a_tile[group * 64][16 * (c % 4)]),
                     rows_of(b_tile[0][16 * (c % 4)]), true);
      products_commit();
      products_wait<0>();
    }
    end = int(clock());
  }
  int total = 0;
  for (int i = 0; i < kN / 2; ++i) total += int(sum[i]);
  out[threadIdx.x] = total;
  write_clocks<P>(clocks, begin, end);
}

template <class P>
void launch(Launcher<P>& gpu, View<int, P> out, View<int, P> clocks,
            View<const int, P>, const Settings& s) {
  for_sizes(s, [&](auto many, auto n) {
    gpu.launch_shared("product", product<many(), n(), P>, {1},
                      {128 * ceil_div(s.warps, 4)}, (128 + n()) * 128, out,
                      clocks, s.repeat);
  });
}
