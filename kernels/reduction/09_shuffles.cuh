// 09 shuffles: lanes hand their sums to each other out of registers. Shared
// memory holds one float per warp, and there is one barrier.
// Any n; threads 64, 128, ... 1024; any number of blocks.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <int kThreads, class Op, class P>
LAB_KERNEL void reduce(View<const float, P> in, View<float, P> out, int n) {
  SHARED(float, part, 32);
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  float sum = Op::nothing;
  const int grid = gridDim.x * kThreads;
  for (int k = 0, i = blockIdx.x * kThreads; i < n; ++k, i += grid) {
    begin_step("load", k);
    sum = Op::of(sum, i + tid < n ? float(in[i + tid]) : Op::nothing);
  }
  for (int s = 16; s > 0; s /= 2) {
    begin_step("lanes", s);
    sum = Op::of(sum, __shfl_down_sync(~0u, sum, s));
  }
  begin_step("share", 0);
  if (lane == 0) part[warp] = sum;

  __syncthreads();

  sum = lane < kThreads / 32 ? float(part[lane]) : Op::nothing;
  for (int s = 16; s > 0; s /= 2) {
    begin_step("warps", s);
    if (warp == 0) sum = Op::of(sum, __shfl_down_sync(~0u, sum, s));
  }
  begin_step("store", 0);
  if (tid == 0) out[blockIdx.x] = sum;
}

template <class Op, class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  for_threads(gpu, s, [&]<int kThreads>() {
    twice(gpu, reduce<kThreads, Op, P>, kThreads, s.blocks, at, s.n);
  });
}
