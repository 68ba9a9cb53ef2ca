// 04 scan_shared: every lane wants the sum of its own number and of those
// before it in its warp: a scan. Each round lane l adds what lane l - s has,
// through shared memory (Kogge and Stone's adder, Hillis and Steele's scan).
// Any n; threads: a multiple of 32.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void scan(View<const int, P> in, View<int, P> out, int n) {
  SHARED(int, part, 1024);
  const int tid = threadIdx.x, lane = tid % 32;
  const int i = blockIdx.x * blockDim.x + tid;
  begin_step("load", 0);
  int x = i < n ? int(in[i]) : 0;
  part[tid] = x;
  show("x", tid, x);
  for (int s = 1; s < 32; s *= 2) {
    __syncwarp();
    begin_step("left", s);
    const int left = lane >= s ? int(part[tid - s]) : 0;
    __syncwarp();
    x += left;
    part[tid] = x;
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
