// 01 strided: lane i reads element offset + i * stride. Memory is fetched in
// sectors of 32 bytes: from stride 8 on every lane has one of its own.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void access(View<const float, P> in, View<float, P> out, int n,
                       int stride, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[offset + i * stride];
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> in, View<float, P> out,
            Settings s) {
  gpu.launch("access", access<P>, blocks(s.n), kBlock, in, out, s.n, s.stride,
             s.offset);
}
