// 02 misaligned: a warp reads a row of 32 neighbours, and rows begin pitch
// floats apart. Where a row does not begin with a sector, it needs one more.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void access(View<const float, P> in, View<float, P> out, int n,
                       int pitch) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = i / 32, col = i % 32;
  if (i < n)
    out[i] = in[row * pitch + col];
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> in, View<float, P> out,
            Settings s) {
  gpu.launch("access", access<P>, blocks(s.n), kBlock, in, out, s.n, s.pitch);
}
