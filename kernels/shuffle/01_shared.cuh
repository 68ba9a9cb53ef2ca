// 01 shared: every lane wants the sum of its warp. The lanes hand their numbers
// on through shared memory: in five rounds the far half adds onto the near
// half, then all read what the first lane has.
// Any n; threads: a multiple of 32.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void sums(View<const int, P> in, View<int, P> out, int n) {
  SHARED(int, part, 1024);
  const int tid = threadIdx.x, lane = tid % 32;
  const int i = blockIdx.x * blockDim.x + tid;
  begin_step("load", 0);
  int x = i < n ? int(in[i]) : 0;
  part[tid] = x;
  show("x", tid, x);
  for (int s = 16; s > 0; s /= 2) {
    __syncwarp();
    begin_step("add", s);
    if (lane < s) {
      x += part[tid + s];
      part[tid] = x;
    }
    show("x", tid, x);
  }
  __syncwarp();
  begin_step("read", 0);
  x = part[tid - lane];
  show("x", tid, x);
  begin_step("store", 0);
  if (i < n) out[i] = x;
}

template <class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  gpu.launch("sums", sums<P>, {ceil_div(s.n, s.threads)}, {s.threads}, at.in,
             at.out, s.n);
}
