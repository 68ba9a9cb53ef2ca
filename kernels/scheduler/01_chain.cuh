// 01 chain: each warp follows kIlp chains of loads, every element says where
// the next one stands, and does kFma dependent FMAs on each value that arrives.
// All warps are on one SM; each notes by the SM's clock when it starts an
// iteration. Loads go around L1: each takes the way to L2. The first pass warms
// L2 and the instruction cache.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <int kIlp, int kFma, class P>
LAB_KERNEL_OF(1024, 2)
void chain(View<float, P> out, View<int, P> clocks, View<const int, P> next,
           View<int, P> seats, int barrier_every) {
  SHARED(int, starts, 32 * (kIterations + 1)); // [warp][iteration, and the end]
  SHARED(int, gate, 1);
  const int seat = take_seat<P>(seats);  // of two, where warps are more than 32
  if (seat >= kSeats) return;
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * (kIterations + 1);
  const int warp = (seat * blockDim.x + threadIdx.x) / 32;
  int at[kIlp];                            // elements
  float sum[kIlp];
  for (int c = 0; c < kIlp; ++c)
    at[c] = (warp * kMaxIlp + c) * 32 + lane, sum[c] = 0;
  if (threadIdx.x == 0) gate[0] = barrier_every;
  for (int pass = 0; pass < 2; ++pass) {
    int until_barrier = barrier_every;     // 0: it never gets to 0 again
    start_together();
    __syncthreads();
    // Never; but this load holds the warp until all have come to the barrier,
    // where it would else run on to the clock.
    if (gate[0] < 0) return;
#pragma unroll 1
    for (int k = 0; k < kIterations; ++k) {
      const int now = int(clock());
      if (lane == 0) starts[row + k] = now;
      for (int c = 0; c < kIlp; ++c) at[c] = __ldcg(&next[at[c]]);
      for (int j = 0; j < kFma; ++j)
        for (int c = 0; c < kIlp; ++c) sum[c] = sum[c] * 0.5f + float(at[c]);
      if (--until_barrier == 0) {
        __syncthreads();
        until_barrier = barrier_every;
      }
    }
    const int now = int(clock());
    if (lane == 0) starts[row + kIterations] = now;
  }

  float total = 0;
  for (int c = 0; c < kIlp; ++c) total += sum[c] + float(at[c]);
  out[warp * 32 + lane] = total;
  __syncwarp();
  if (lane <= kIterations)
    clocks[warp * (kIterations + 1) + lane] = starts[row + lane];
}

template <class P>
void launch(Launcher<P>& gpu, View<float, P> out, View<int, P> clocks,
            View<const int, P> next, View<int, P> seats, const Settings& s) {
  for_program(s, [&](auto ilp, auto fma) {
    const bool alone = s.warps <= 32;      // one block holds them all
    const int blocks = alone ? 1 : kBlocksOfAllSms;
    const int threads = 32 * (alone ? s.warps : s.warps / 2);
    gpu.launch("chain", chain<ilp(), fma(), P>, {blocks}, {threads}, out,
               clocks, next, seats, s.barrier_every);
    if (!alone) gpu.launch("free_seats", free_seats<P>, {1}, {1}, seats);
  });
}
