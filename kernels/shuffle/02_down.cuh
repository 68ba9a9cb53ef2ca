// 02 down: the lanes hand their numbers on out of registers. Each round lane l
// gets what lane l + s holds; after five, lane 0 has the sum, and one more
// shuffle gives it to all. No shared memory is left.
// Any n; threads: a multiple of 32.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void sums(View<const int, P> in, View<int, P> out, int n) {
  const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  begin_step("load", 0);
  int x = i < n ? int(in[i]) : 0;
  show("x", tid, x);
  for (int s = 16; s > 0; s /= 2) {
    begin_step("down", s);
    x += __shfl_down_sync(~0u, x, s);
    show("x", tid, x);
  }
  begin_step("broadcast", 0);
  x = __shfl_sync(~0u, x, 0);
  show("x", tid, x);
  begin_step("store", 0);
  if (i < n) out[i] = x;
}

template <class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  gpu.launch("sums", sums<P>, {ceil_div(s.n, s.threads)}, {s.threads}, at.in,
             at.out, s.n);
}
