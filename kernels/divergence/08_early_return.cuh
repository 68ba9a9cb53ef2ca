// 08 early_return: lanes whose element is below `share` have nothing to do and
// return at once. Their warp goes on for the others; only where all 32 return
// is its place on the SM free.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL_OF(1024)
void early_return(View<const float, P> in, View<float, P> out,
                  View<int, P> clocks, int n, int rounds, float share) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  if (x < share) {
    clocks[i] = 0;
    out[i] = x;
    return;
  }
  const int begin = cycle_of(x);
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    x = rise(x);  arithmetic(kFmas);
  }
  clocks[i] = cycle_of(x) - begin;
  out[i] = x;
}

template <class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  gpu.launch("early_return", early_return<P>, {ceil_div(s.n, s.threads)},
             {s.threads}, at.in, at.out, at.clocks, s.n, s.rounds, s.share);
}
