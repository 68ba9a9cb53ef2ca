// 05 aosoa: an array of structs of 32: what one warp reads of a field is one
// line, and all fields of its 32 particles still lie together.
// Of each particle's fields the first few are read.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void access(View<const float, P> in, View<float, P> out, int n,
                       int fields, int read) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int f = 0; f < read; ++f)
    sum += in[(i / 32 * fields + f) * 32 + i % 32];
  out[i] = sum;
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> in, View<float, P> out,
            Settings s) {
  gpu.launch("access", access<P>, blocks(s.n), kBlock, in, out, s.n, s.fields,
             s.read);
}
