// 08 copy: out = in, 16 bytes per lane; each thread has up to kEach loads under
// way before it stores what came.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <int kEach, class P>
LAB_KERNEL_OF(256)
void copy(View<const int, P> in, View<int, P> out, int units) {
  const int first = blockIdx.x * kEach * kThreads + threadIdx.x;
  int4 x[kEach];
#pragma unroll
  for (int j = 0; j < kEach; ++j) {
    const int unit = first + j * kThreads;
    if (unit < units) x[j] = as<const int4>(in)[unit];
  }
#pragma unroll
  for (int j = 0; j < kEach; ++j) {
    const int unit = first + j * kThreads;
    if (unit < units) as<int4>(out)[unit] = x[j];
  }
}

template <class P>
void launch(Launcher<P>& gpu, View<const int, P> in, View<int, P> out,
            View<int, P>, View<int, P>, const Settings& s) {
  const int units = s.words / 4;
  const int blocks = ceil_div(units, s.each * kThreads);
  if (s.each == 1)
    gpu.launch("copy", copy<1, P>, {blocks}, {kThreads}, in, out, units);
  else if (s.each == 4)
    gpu.launch("copy", copy<4, P>, {blocks}, {kThreads}, in, out, units);
  else
    gpu.launch("copy", copy<8, P>, {blocks}, {kThreads}, in, out, units);
}
