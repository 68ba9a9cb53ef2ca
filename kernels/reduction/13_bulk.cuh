// 13 bulk: one thread asks for a whole chunk, and the copy engine brings it.
// Four chunks are on their way at any time, and no register holds a byte of
// them: a barrier in shared memory tells when a chunk is there.
// Any n; threads 64, 128, ... 1024; any number of blocks. It needs compute
// capability 9.0.
#pragma once
#include "kernels/bulk.cuh"
#include "settings.cuh"

template <int kThreads, class Op, class P>
LAB_KERNEL void reduce(View<const float, P> in, View<float, P> sums,
                       View<float, P> out, View<unsigned, P> drawn, int n) {
  constexpr int kStages = 4, kChunk = 4 * kThreads;  // 16 bytes per thread
  DYNAMIC_CHUNKS(float, ring, kStages, kChunk, 0);
  SHARED_BARRIERS(full, kStages);
  SHARED(float, part, 32);
  SHARED(int, is_last, 1);
  const int tid = threadIdx.x, block = blockIdx.x, blocks = gridDim.x;
  const int chunks = n / kChunk;
  const auto fetch = [&](int chunk, int stage) {
    arrive_expecting(full[stage], kChunk * 4);
    copy_bulk(ring[stage][0], in[chunk * kChunk], kChunk * 4, full[stage]);
  };
  begin_step("ask", 0);
  if (tid == 0) {
    for (int s = 0; s < kStages; ++s) init_barrier(full[s], 1);
    publish_barriers();
    for (int s = 0; s < kStages; ++s)
      if (block + s * blocks < chunks) fetch(block + s * blocks, s);
  }
  __syncthreads();                             // the barriers are there

  float sum = Op::nothing;
  for (int k = 0, chunk = block; chunk < chunks; ++k, chunk += blocks) {
    begin_step("load", k);
    const int stage = k % kStages;
    wait_phase(full[stage], k / kStages % 2);  // all of its bytes are there
    const float4 x = as<float4>(ring)[stage][tid];
    sum = Op::of(sum, Op::of(Op::of(x.x, x.y), Op::of(x.z, x.w)));
    __syncthreads();                           // all have read it
    const int next = chunk + kStages * blocks;
    if (tid == 0 && next < chunks) fetch(next, stage);
  }
  begin_step("rest", 0);                       // what fills no chunk
#pragma unroll 1
  for (int i = chunks * kChunk + tid; i < n; i += kThreads)
    if (block == 0) sum = Op::of(sum, in[i]);
  begin_step("tree", 0);
  sum = over_block<Op, kThreads>(part, sum);
  begin_step("store", 0);
  if (tid == 0) {
    sums[block] = sum;
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
    constexpr int kRing = 4 * 16 * kThreads;
    gpu.launch_shared("reduce", reduce<kThreads, Op, P>, {s.blocks},
                      {kThreads}, kRing, at.in, at.part, at.out, drawn, s.n);
  });
}
