// 05 prefetch: managed memory again, but its pages are sent ahead, before
// anybody touches them. The kernel and the CPU find all of them there.
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
  const auto bytes = s.n * sizeof(float);
  gpu.prefetch_to_device(in, bytes);
  gpu.launch("work", work<P>, {ceil_div(s.n, kThreads)}, {kThreads},
             in, out, s.n, s.rounds);
  gpu.prefetch_to_host(out, bytes);
  gpu.read_on_host(out, bytes);
}
