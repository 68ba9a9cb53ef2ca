// 01 uniform: in each round all lanes of a warp go the same way. There is one
// branch, and every issue slot of it works for 32 lanes. The other rungs change
// the condition, and nothing else.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL_OF(1024)
void uniform(View<const float, P> in, View<float, P> out, View<int, P> clocks,
             int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  const int begin = cycle_of(x);
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    LAB_ITERATION(k);
    if (k % 2 == 0) {
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
  gpu.launch("uniform", uniform<P>, {ceil_div(s.n, s.threads)}, {s.threads},
             at.in, at.out, at.clocks, s.n, s.rounds);
}
