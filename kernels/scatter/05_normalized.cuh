// 05 normalized: as in a graph convolution (Kipf and Welling). Each node is its
// own neighbour, too, and an edge from i to j counts 1 / sqrt(degree i * degree
// j). The degrees are counted first: a histogram, by atomics on ints.
// Any graph; width 1, 2, 4, ... 128.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void begin_degrees(View<int, P> degree, int nodes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nodes) degree[i] = 1;
}
template <class P>
LAB_KERNEL void count_degrees(View<const int, P> target, View<int, P> degree,
                              int edges) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
  const int to = target[e];
  atomicAdd(&degree[to], 1);
}

template <class P>
LAB_KERNEL void gather(View<const float, P> x, View<const int, P> source,
                       View<const int, P> first, View<const int, P> degree,
                       View<float, P> out, int nodes, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int node = i / width, f = i % width;
  if (node >= nodes) return;
  const int begin = first[node];
  const int end = first[node + 1];
  const float own = degree[node];
  float sum = x[i] / own;
  for (int e = begin; e < end; ++e) {
    const int from = source[e];
    const float other = degree[from];
    sum += x[from * width + f] / sqrtf(own * other);
  }
  out[i] = sum;
}

template <class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  gpu.launch("begin_degrees", begin_degrees<P>, {ceil_div(s.nodes, 256)}, {256},
             at.degree, s.nodes);
  gpu.launch("count_degrees", count_degrees<P>, {ceil_div(s.edges, s.threads)},
             {s.threads}, at.target, at.degree, s.edges);
  gpu.launch("gather", gather<P>, {ceil_div(s.nodes * s.width, s.threads)},
             {s.threads}, at.x, at.source, at.first, as<const int>(at.degree),
             at.out, s.nodes, s.width);
}
