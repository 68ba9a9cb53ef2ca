// 09 short_side: the sides are one FMA each, and a bit of the element decides.
// No branch is left: the compiler has the warp issue both, and each lane keeps
// what is its own (predication). Nobody jumps, and nothing is saved.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL_OF(1024)
void short_side(View<const float, P> in, View<float, P> out,
                View<int, P> clocks, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  const unsigned bits = __float_as_uint(x);
  const int begin = cycle_of(x);
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
#pragma unroll
    for (int j = 0; j < kShortSides; ++j) {
      LAB_ITERATION(k * kShortSides + j);
      if (bits >> j & 1) {
        x = fmaf(x, kKeep, kUp);  arithmetic(1);
      } else {
        x = fmaf(-x, kKeep, kDown);  arithmetic(1);
      }
    }
  }
  clocks[i] = cycle_of(x) - begin;
  out[i] = x;
}

template <class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  gpu.launch("short_side", short_side<P>, {ceil_div(s.n, s.threads)},
             {s.threads}, at.in, at.out, at.clocks, s.n, s.rounds);
}
