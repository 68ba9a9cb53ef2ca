// 07 batch: the same graphs as one. No edge leads from one to another, so as a
// matrix the graph of all has their matrices along its diagonal, and nothing
// else. The kernel is that of `gather`: it need not know of graphs at all.
// Any graphs; width 1, 2, 4, ... 128.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void gather(View<const float, P> x, View<const int, P> source,
                       View<const int, P> first, View<float, P> out, int nodes,
                       int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int node = i / width, f = i % width;
  if (node >= nodes) return;
  const int begin = first[node];
  const int end = first[node + 1];
  float sum = 0;
  for (int e = begin; e < end; ++e) {
    const int from = source[e];
    sum += x[from * width + f];
  }
  out[i] = sum;
}

template <class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  gpu.launch("gather", gather<P>, {ceil_div(s.nodes * s.width, s.threads)},
             {s.threads}, at.x, at.source, at.first, at.out, s.nodes, s.width);
}
