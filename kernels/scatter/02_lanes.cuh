// 02 lanes: a thread per number. Lanes side by side carry one row: they read
// neighbours and add to neighbours.
// Any graph; width 1, 2, 4, ... 128.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void scatter(View<const float, P> x, View<const int, P> source,
                        View<const int, P> target, View<float, P> out,
                        int edges, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int e = i / width, f = i % width;
  if (e >= edges) return;
  const int from = source[e];
  const int to = target[e];
  const float message = x[from * width + f];
  atomicAdd(&out[to * width + f], message);
}

template <class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  clear_out(gpu, at, s);
  gpu.launch("scatter", scatter<P>, {ceil_div(s.edges * s.width, s.threads)},
             {s.threads}, at.x, at.source, at.target, at.out, s.edges, s.width);
}
