// 06 one_by_one: many small graphs, molecules for example, each with a launch
// of its own. Their nodes are numbered through; a graph is a stretch of them.
// Any graphs; width 1, 2, 4, ... 128.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void gather(View<const float, P> x, View<const int, P> source,
                       View<const int, P> first, View<float, P> out, int node0,
                       int nodes, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int node = node0 + i / width, f = i % width;
  if (node >= node0 + nodes) return;
  const int begin = first[node];
  const int end = first[node + 1];
  float sum = 0;
  for (int e = begin; e < end; ++e) {
    const int from = source[e];
    sum += x[from * width + f];
  }
  out[node * width + f] = sum;
}

template <class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  const int nodes = s.nodes / s.graphs;
  for (int g = 0; g < s.graphs; ++g)
    gpu.launch("gather", gather<P>, {ceil_div(nodes * s.width, s.threads)},
               {s.threads}, at.x, at.source, at.first, at.out, g * nodes, nodes,
               s.width);
}
