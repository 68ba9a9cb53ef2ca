// 05 scan: the same out of registers. Lane l gets what lane l - s holds; the
// first s lanes have nobody there, get their own number and leave it.
// Any n; threads: a multiple of 32.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void scan(View<const int, P> in, View<int, P> out, int n) {
  const int tid = threadIdx.x, lane = tid % 32;
  const int i = blockIdx.x * blockDim.x + tid;
  begin_step("load", 0);
  int x = i < n ? int(in[i]) : 0;
  show("x", tid, x);
  for (int s = 1; s < 32; s *= 2) {
    begin_step("up", s);
    const int left = __shfl_up_sync(~0u, x, s);
    if (lane >= s) x += left;
    show("x", tid, x);
  }
  begin_step("store", 0);
  if (i < n) out[i] = x;
}

template <class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  gpu.launch("scan", scan<P>, {ceil_div(s.n, s.threads)}, {s.threads}, at.in,
             at.out, s.n);
}
