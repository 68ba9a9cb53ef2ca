// 11 register_product: 09 product with the first operand in registers.
#pragma once
#include "kernels/bulk.cuh"
#include "settings.cuh"

template <int kProducts, int kN, class P>
LAB_KERNEL_OF(256, 1)
void register_product(View<int, P> out, View<int, P> clocks, int repeat) {
  constexpr bf16 kOne = 0x3f80;
  DYNAMIC_BOXES(bf16, b_tile, kN, 0);              // [column][k]
  for (int i = threadIdx.x; i < kN * 64; i += blockDim.x)
    b_tile[i / 64][i % 64] = kOne;
  store_fence();                            // the tensor cores read them
  const unsigned p[4] = {0x3f803f80, 0x3f803f80, 0x3f803f80, 0x3f803f80};
  float sum[kN / 2] = {};
  int begin = 0, end = 0;
  for (int pass = 0; pass < 2; ++pass) {    // the first brings the instructions
    __syncthreads();
    begin = int(clock());
#pragma unroll 2
    for (int k = 0; k < repeat; ++k) {
      sums_fence();
      for (int c = 0; c < kProducts; ++c)
        multiply<kN>(sum, p, rows_of(b_tile[0][16 * (c % 4)]), true);
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
    if constexpr (n() < 256)
      gpu.launch_shared("register_product",
                        register_product<many(), n(), P>, {1},
                        {128 * ceil_div(s.warps, 4)}, n() * 128, out,
                        clocks, s.repeat);
    else
      gpu.refuse("no product with its first operand in registers "
                 "is made for 256 columns");
  });
}
