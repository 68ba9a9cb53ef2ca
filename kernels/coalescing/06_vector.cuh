// 06 vector: float, float2 or float4 per lane. The same sectors for the same
// bytes, but one request asks for 4, 8 or 16 of them.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class V, class P>
LAB_KERNEL void access(View<const float, P> in, View<float, P> out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    as<V>(out)[i] = as<const V>(in)[i];
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> in, View<float, P> out,
            Settings s) {
  for_width(s.width, [&](auto v) {
    gpu.launch("access", access<decltype(v), P>, blocks(s.n), kBlock, in, out,
               s.n);
  });
}
