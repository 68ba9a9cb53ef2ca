// 08 many: a thread for every N / log N elements, and the tree only at the end.
// Each adds its own in a register, a grid apart, so that a warp still reads
// side by side; then there is little left to share.
// Any n; threads 64, 128, ... 1024; any number of blocks.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <int kThreads, class Op, class P>
LAB_KERNEL void reduce(View<const float, P> in, View<float, P> out, int n) {
  SHARED(float, part, kThreads);
  const int tid = threadIdx.x;
  float sum = Op::nothing;
  const int grid = gridDim.x * kThreads;
  for (int k = 0, i = blockIdx.x * kThreads; i < n; ++k, i += grid) {
    begin_step("load", k);
    sum = Op::of(sum, i + tid < n ? float(in[i + tid]) : Op::nothing);
  }
  begin_step("share", 0);
  part[tid] = sum;
#pragma unroll
  for (int s = kThreads / 2; s > 32; s /= 2) {
    __syncthreads();
    begin_step("add", s);
    if (tid < s) part[tid] = Op::of({part[tid], part[tid + s]});
  }

  __syncthreads();

#pragma unroll
  for (int s = 32; s > 0; s /= 2) {
    begin_step("add", s);
    if (tid < 32) {
      sum = Op::of({part[tid], part[tid + s]});
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
  for_threads(gpu, s, [&]<int kThreads>() {
    twice(gpu, reduce<kThreads, Op, P>, kThreads, s.blocks, at, s.n);
  });
}
