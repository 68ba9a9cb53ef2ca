// What every rung of this ladder is launched with. A graph's edges lead from
// source[e] to target[e]; each node has a row of `width` numbers in x, and
// wants in its row of out the sum of the rows that come in over its edges.
#pragma once
#include "kernels/lab.cuh"

struct Settings {
  int nodes, edges, width, threads, run, graphs;
};

template <class P>
struct Arrays {
  View<const float, P> x;
  View<float, P> out;
  View<const int, P> source, target;
  View<const int, P> first;  // edges first[i] to first[i + 1] - 1 end in node i
  View<int, P> degree;       // edges that end in a node, and one of its own
};

template <class P>
LAB_KERNEL void clear(View<float, P> out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0;
}
template <class P>
void clear_out(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  const int n = s.nodes * s.width;
  gpu.launch("clear", clear<P>, {ceil_div(n, 256)}, {256}, at.out, n);
}
