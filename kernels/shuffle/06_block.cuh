// 06 block: a scan over the whole block. Registers end at the warp: each warp
// leaves its sum in shared memory, and each scans these sums for itself, to
// know what stands before it. One barrier.
// Any n; threads: a multiple of 32.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL void scan(View<const int, P> in, View<int, P> out, int n) {
  SHARED(int, part, 32);
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
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
  begin_step("share", 0);
  if (lane == 31) part[warp] = x;

  __syncthreads();

  const int warps = blockDim.x / 32;
  int sums = lane < warps ? int(part[lane]) : 0;
  show("sums", tid, sums);
  for (int s = 1; s < 32; s *= 2) {
    begin_step("across", s);
    const int left = __shfl_up_sync(~0u, sums, s);
    if (lane >= s) sums += left;
    show("sums", tid, sums);
  }
  begin_step("join", 0);
  const int before = __shfl_sync(~0u, sums, warp - 1);
  if (warp > 0) x += before;
  show("x", tid, x);
  begin_step("store", 0);
  if (i < n) out[i] = x;
}

template <class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  gpu.launch("scan", scan<P>, {ceil_div(s.n, s.threads)}, {s.threads}, at.in,
             at.out, s.n);
}
