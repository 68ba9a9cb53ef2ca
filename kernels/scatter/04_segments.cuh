// 04 segments: the same order, but shared out by edges and not by nodes: each
// group of lanes takes `run` edges in a row, whoever they belong to. It adds in
// a register while the target stays the same, and by an atomic where it
// changes. A node with very many edges is shared by many groups.
// Any graph; width 1, 2, 4, ... 128.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void segments(View<const float, P> x, View<const int, P> source,
                         View<const int, P> target, View<float, P> out,
                         int edges, int width, int run) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int begin = i / width * run, f = i % width;
  if (begin >= edges) return;
  const int end = min(begin + run, edges);
  float sum = 0;
  int to = target[begin];
  for (int e = begin; e < end; ++e) {
    LAB_ITERATION(e - begin);
    const int from = source[e];
    sum += x[from * width + f];
    const int next = target[min(e + 1, edges - 1)];
    if (next != to || e + 1 == end) {
      atomicAdd(&out[to * width + f], sum);
      sum = 0;
    }
    to = next;
  }
}

template <class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  clear_out(gpu, at, s);
  const int threads = ceil_div(s.edges, s.run) * s.width;
  gpu.launch("segments", segments<P>, {ceil_div(threads, s.threads)},
             {s.threads}, at.x, at.source, at.target, at.out, s.edges, s.width,
             s.run);
}
