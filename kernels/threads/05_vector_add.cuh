// 05 vector_add: two arrays in, one out. Still a thread per element; what
// Triton's compiler makes of the same program stands beside it.
// Any n: the threads of the last block that stand beyond the end are masked.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void vector_add(View<const float, P> a, View<const float, P> b,
                           View<float, P> out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] + b[i];
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> a, View<const float, P> b,
            View<float, P> out, Settings s) {
  const int blocks = ceil_div(s.width, s.block.x);
  gpu.launch("vector_add", vector_add<P>, {blocks}, s.block, a, b, out,
             s.width);
}
