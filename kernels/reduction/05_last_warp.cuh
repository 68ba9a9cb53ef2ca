// 05 last_warp: the last six rounds are one warp's own. It needs no barrier of
// the block for them; __syncwarp() orders what its lanes write and read.
// Any n; threads a power of two from 64 on. Two elements per thread.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class Op, class P>
LAB_KERNEL void reduce(View<const float, P> in, View<float, P> out, int n) {
  SHARED(float, part, 1024);
  const int tid = threadIdx.x, threads = blockDim.x;
  const int i = blockIdx.x * threads * 2 + tid;
  begin_step("load", 0);
  const float near = i < n ? float(in[i]) : Op::nothing;
  const int j = i + threads;
  const float far = j < n ? float(in[j]) : Op::nothing;
  part[tid] = Op::of(near, far);
  for (int s = threads / 2; s > 32; s /= 2) {
    __syncthreads();
    begin_step("add", s);
    if (tid < s) part[tid] = Op::of({part[tid], part[tid + s]});
  }

  __syncthreads();

  for (int s = 32; s > 0; s /= 2) {
    begin_step("add", s);
    if (tid < 32) {
      const float sum = Op::of({part[tid], part[tid + s]});
      __syncwarp();  // all have read
      part[tid] = sum;
      __syncwarp();  // all have written
    }
  }
  begin_step("store", 0);
  if (tid == 0) out[blockIdx.x] = part[0];
}

template <class Op, class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  until_one(gpu, reduce<Op, P>, s.threads, 2 * s.threads, at, s.n);
}
