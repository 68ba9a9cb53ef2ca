// 18 no_products: waits for products where none are on their way.
#pragma once
#include "kernels/bulk.cuh"
#include "settings.cuh"

template <int kChains, class P>
LAB_KERNEL void no_products(View<int, P> out, View<int, P> clocks,
                            View<const int, P> next, int repeat) {
  int begin = 0, end = 0;
  for (int pass = 0; pass < 2; ++pass) {    // the first brings the instructions
    __syncthreads();
    begin = int(clock());
#pragma unroll 4
    for (int k = 0; k < repeat; ++k)
      for (int c = 0; c < kChains; ++c) products_wait<0>();
    end = int(clock());
  }
  out[threadIdx.x] = next[0] + kChains;
  write_clocks<P>(clocks, begin, end);
}

template <class P>
void launch(Launcher<P>& gpu, View<int, P> out, View<int, P> clocks,
            View<const int, P> next, const Settings& s) {
  for_chains(s, [&](auto chains) {
    gpu.launch("no_products", no_products<chains(), P>, {1},
               {128 * ceil_div(s.warps, 4)}, out, clocks, next, s.repeat);
  });
}
