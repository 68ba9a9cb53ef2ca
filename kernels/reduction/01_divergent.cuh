// 01 divergent: neighbours first. In each round every second, then every
// fourth, eighth ... thread adds; the lanes of a warp disagree, and a warp
// takes its turn as long as one lane of it has work.
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
  for (int s = 1; s < threads; s *= 2) {
    __syncthreads();
    begin_step("add", s);
    if (tid % (2 * s) == 0) part[tid] = Op::of({part[tid], part[tid + s]});
  }
  begin_step("store", 0);
  if (tid == 0) out[blockIdx.x] = part[0];
}

template <class Op, class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  until_one(gpu, reduce<Op, P>, s.threads, s.threads, at, s.n);
}
