// 10 vectorized: 16 bytes per load. A quarter of the instructions ask for the
// same bytes, and more of them are on their way at any time.
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
  for (int k = 0, i = blockIdx.x * kThreads; i < n / 4; ++k, i += grid) {
    begin_step("load", k);
    if (i + tid < n / 4) {
      const float4 x = as<const float4>(in)[i + tid];
      sum = Op::of(sum, Op::of(Op::of(x.x, x.y), Op::of(x.z, x.w)));
    }
  }
  begin_step("rest", 0);
  const int last = n / 4 * 4 + tid;  // of the up to three beyond the last four
  if (blockIdx.x == 0 && last < n) sum = Op::of(sum, in[last]);
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
