// 04 soa: a struct of arrays. All particles' first fields, then all second
// ones: lanes read neighbours, and a field that nobody reads costs nothing.
// Of each particle's fields the first few are read.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void access(View<const float, P> in, View<float, P> out, int n,
                       int read) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int f = 0; f < read; ++f)
    sum += in[f * n + i];
  out[i] = sum;
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> in, View<float, P> out,
            Settings s) {
  gpu.launch("access", access<P>, blocks(s.n), kBlock, in, out, s.n, s.read);
}
