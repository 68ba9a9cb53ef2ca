// 03 aos: an array of structs. The fields of one particle are neighbours, so
// that the same field of the next particle is a whole struct away.
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
    sum += in[i * fields + f];
  out[i] = sum;
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> in, View<float, P> out,
            Settings s) {
  gpu.launch("access", access<P>, blocks(s.n), kBlock, in, out, s.n, s.fields,
             s.read);
}
