// 03 mapped: no copy at all. The kernel reads and writes the host's arrays,
// each access over the link. Every byte crosses it once, while the kernel
// computes; what is read twice would cross it twice.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL_OF(kThreads)
void work(View<const float, P> in, View<float, P> out, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  out[i] = worked(x, rounds);
}

template <class P>
void launch(Launcher<P>& gpu, const Binding& b, const Settings& s) {
  const auto in = b.view<P, const float>(0);      // cudaHostAlloc, mapped
  const auto out = b.view<P, float>(1);           // cudaHostAlloc, mapped
  gpu.launch("work", work<P>, {ceil_div(s.n, kThreads)}, {kThreads},
             in, out, s.n, s.rounds);
}
