// 03 sequential: the far half is added to the near half. The threads that add
// stand side by side, and so do their elements: no bank is asked twice.
// Any n; threads a power of two. An element per thread.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class Op, class P>
LAB_KERNEL void reduce(View<const float, P> in, View<float, P> out, int n) {
  SHARED(float, part, 1024);
  const int tid = threadIdx.x, threads = blockDim.x;
  const int i = blockIdx.x * threads + tid;
  begin_step("load", 0);
  part[tid] = i < n ? float(in[i]) : Op::nothing;
  for (int s = threads / 2; s > 0; s /= 2) {
    __syncthreads();
    begin_step("add", s);
    if (tid < s) part[tid] = Op::of({part[tid], part[tid + s]});
  }
  begin_step("store", 0);
  if (tid == 0) out[blockIdx.x] = part[0];
}

template <class Op, class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  until_one(gpu, reduce<Op, P>, s.threads, s.threads, at, s.n);
}
