// 04 grid_stride: any number of blocks does the work. A thread goes on with
// the element that stands as many further as the grid has threads.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void index(View<const float, P> in, View<float, P> out, int n) {
  const int threads = gridDim.x * blockDim.x;
#pragma unroll 1  // or lanes that end sooner leave the unrolled text first
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
    out[i] = 2 * in[i];
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> in, View<float, P> out,
            Settings s) {
  gpu.launch("index", index<P>, {s.blocks}, s.block, in, out, s.width);
}
