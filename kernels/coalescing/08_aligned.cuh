// 08 aligned: the same struct with alignas(16). One access of 16 bytes reads
// it, one writes it: a quarter of the requests, each sector asked for once.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

struct alignas(16) Particle {
  float x, y, z, mass;
};

template <class P>
LAB_KERNEL void access(View<const float, P> in, View<float, P> out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    as<Particle>(out)[i] = as<const Particle>(in)[i];
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> in, View<float, P> out,
            Settings s) {
  gpu.launch("access", access<P>, blocks(s.n), kBlock, in, out, s.n);
}
