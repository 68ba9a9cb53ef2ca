// 12 last_block: one pass, and the same order each time. A block leaves its
// sum, then draws a number; who draws the last one knows that all sums are
// there, and adds them.
// Any n; threads 64, 128, ... 1024; any number of blocks.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <int kThreads, class Op, class P>
LAB_KERNEL void reduce(View<const float, P> in, View<float, P> sums,
                       View<float, P> out, View<unsigned, P> drawn, int n) {
  SHARED(float, part, 32);
  SHARED(int, is_last, 1);
  const int tid = threadIdx.x, blocks = gridDim.x;
  float sum = Op::nothing;
  const int grid = blocks * kThreads;
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
  begin_step("tree", 0);
  sum = over_block<Op, kThreads>(part, sum);
  begin_step("store", 0);
  if (tid == 0) {
    sums[blockIdx.x] = sum;
    __threadfence();  // the sum is there before the number is drawn
    const unsigned before = atomicInc(&drawn[0], blocks - 1);
    is_last[0] = before == unsigned(blocks - 1);
  }

  __syncthreads();

  if (!is_last[0]) return;
  sum = Op::nothing;
  for (int k = 0, i = 0; i < blocks; ++k, i += kThreads) {
    begin_step("sums", k);
    sum = Op::of(sum, i + tid < blocks ? float(sums[i + tid]) : Op::nothing);
  }
  begin_step("tree", 1);
  sum = over_block<Op, kThreads>(part, sum);
  begin_step("store", 1);
  if (tid == 0) out[0] = sum;
}

template <class Op, class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, View<unsigned, P> drawn,
            const Settings& s) {
  for_threads(gpu, s, [&]<int kThreads>() {
    gpu.launch("reduce", reduce<kThreads, Op, P>, {s.blocks}, {kThreads}, at.in,
               at.part, at.out, drawn, s.n);
  });
}
