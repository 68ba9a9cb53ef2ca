// 01 scale: out = 2 in + 1, one element per thread. Nothing to look at but its
// time. Its copies differ in nothing but their number, so that the first launch
// of a kernel in a process can be seen more than once.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <int kCopy, class P>
LAB_KERNEL_OF(256)
void scale(View<const float, P> in, View<float, P> out, int elements) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < elements) out[i] = 2 * in[i] + 1;
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> in, View<float, P> out,
            const Settings& s) {
  for_copy(s, [&](auto copy) {
    gpu.launch("scale", scale<copy(), P>, {ceil_div(s.elements, 256)}, {256},
               in, out, s.elements);
  });
}
