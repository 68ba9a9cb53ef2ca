// 02 pinned: the host's arrays are page-locked. The copy engine reads and
// writes them where they are, without the CPU. Nothing else has changed.
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
  const auto in = b.view<P, const float>(0);      // cudaHostAlloc
  const auto out = b.view<P, float>(1);           // cudaHostAlloc
  const auto d_in = b.view<P, float>(2);          // cudaMalloc
  const auto d_out = b.view<P, float>(3);         // cudaMalloc
  const auto bytes = s.n * sizeof(float);
  gpu.cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);
  gpu.launch("work", work<P>, {ceil_div(s.n, kThreads)}, {kThreads},
             d_in, d_out, s.n, s.rounds);
  gpu.cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
}
