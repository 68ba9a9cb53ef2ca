// 07 packed: a struct of four floats, aligned to 4 bytes. The compiler may not
// take it for 16 aligned bytes, so that out[i] = in[i] is four accesses each.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

// struct Particle { float x, y, z, mass; };
template <class P>
LAB_KERNEL void access(View<const float, P> in, View<float, P> out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int member = 0; member < 4; ++member)  // as compiled
    out[i * 4 + member] = in[i * 4 + member];
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> in, View<float, P> out,
            Settings s) {
  gpu.launch("access", access<P>, blocks(s.n), kBlock, in, out, s.n);
}
