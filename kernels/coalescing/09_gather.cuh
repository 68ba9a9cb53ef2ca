// 09 gather: where a lane reads stands in memory. Elements are shuffled within
// windows: the wider the window, the fewer lanes share a sector.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void access(View<const float, P> in, View<float, P> out,
                       View<const int, P> from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int place = from[i];
  out[i] = in[place];
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> in, View<float, P> out,
            View<const int, P> from, Settings s) {
  gpu.launch("access", access<P>, blocks(s.n), kBlock, in, out, from, s.n);
}
