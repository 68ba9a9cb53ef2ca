// 01 edges: a thread per edge takes the row of its source to the row of its
// target, number by number. Which threads meet at a target is up to the graph,
// so each addition is an atomic.
// Any graph; width 1, 2, 4, ... 128.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void scatter(View<const float, P> x, View<const int, P> source,
                        View<const int, P> target, View<float, P> out,
                        int edges, int width) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int from = source[e];
  const int to = target[e];
  for (int f = 0; f < width; ++f) {
    const float message = x[from * width + f];
    atomicAdd(&out[to * width + f], message);
  }
}

template <class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  clear_out(gpu, at, s);
  gpu.launch("scatter", scatter<P>, {ceil_div(s.edges, s.threads)}, {s.threads},
             at.x, at.source, at.target, at.out, s.edges, s.width);
}
