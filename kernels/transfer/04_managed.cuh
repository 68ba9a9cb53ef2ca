// 04 managed: one array for both. Nobody copies; a page moves when the side
// that it is not on touches it, and that side waits. Here each of them does so
// for the first time.
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
  const auto in = b.view<P, const float>(0);      // cudaMallocManaged
  const auto out = b.view<P, float>(1);           // cudaMallocManaged
  gpu.launch("work", work<P>, {ceil_div(s.n, kThreads)}, {kThreads},
             in, out, s.n, s.rounds);
  gpu.read_on_host(out, s.n * sizeof(float));
}
