// 02 strided: the same pairs, but the threads that add stand side by side.
// Whole warps have work or none; their elements are now 2 s apart, and the
// banks pay for it.
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
    const int k = 2 * s * tid;
    if (k < threads) part[k] = Op::of({part[k], part[k + s]});
  }
  begin_step("store", 0);
  if (tid == 0) out[blockIdx.x] = part[0];
}

template <class Op, class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  until_one(gpu, reduce<Op, P>, s.threads, s.threads, at, s.n);
}
