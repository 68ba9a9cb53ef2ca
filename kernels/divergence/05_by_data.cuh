// 05 by_data: the element decides. A warp takes both sides as soon as one of
// its 32 lanes goes the other way: with a share p of them on one side, all but
// p^32 + (1 - p)^32 of the warps do. Sorted data bring the lanes together.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL_OF(1024)
void by_data(View<const float, P> in, View<float, P> out, View<int, P> clocks,
             int n, int rounds, float share) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  const bool below = x < share;
  const int begin = cycle_of(x);
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    LAB_ITERATION(k);
    if (below) {
      x = rise(x);  arithmetic(kFmas);
    } else {
      x = fall(x);  arithmetic(kFmas);
    }
  }
  clocks[i] = cycle_of(x) - begin;
  out[i] = x;
}

template <class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  gpu.launch("by_data", by_data<P>, {ceil_div(s.n, s.threads)}, {s.threads},
             at.in, at.out, at.clocks, s.n, s.rounds, s.share);
}
