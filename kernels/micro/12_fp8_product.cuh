// 12 fp8_product: 09 product of numbers of 8 bits, twice as deep. Of each row
// of A one number in 32 is 1: these sums lose a 1 once they have come to 2^14.
#pragma once
#include "kernels/bulk.cuh"
#include "settings.cuh"

template <int kProducts, int kN, class P>
LAB_KERNEL_OF(256, 1)
void fp8_product(View<int, P> out, View<int, P> clocks, int repeat) {
  constexpr e4m3 kOne = 0x38;
  DYNAMIC_BOXES(e4m3, a_tile, 128, 0);             // [64 of each group][k]
  DYNAMIC_BOXES(e4m3, b_tile, kN, 128 * 128);      // [column][k]
  for (int i = threadIdx.x; i < 128 * 128; i += blockDim.x)
    a_tile[i / 128][i % 128] = i % 32 == 0 ? kOne : e4m3{0};
  for (int i = threadIdx.x; i < kN * 128; i += blockDim.x)
    b_tile[i / 128][i % 128] = kOne;
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
        multiply<kN>(sum, rows_of(a_tile[group * 64][32 * (c % 4)]),
                     rows_of(b_tile[0][32 * (c % 4)]), true);
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
    if constexpr (n() != 128)
      gpu.launch_shared("fp8_product", fp8_product<many(), n(), P>, {1},
                        {128 * ceil_div(s.warps, 4)}, (128 + n()) * 128, out,
                        clocks, s.repeat);
    else
      gpu.refuse("no product of 8-bit numbers is made for 128 "
                 "columns");
  });
}
