// 04 registers: an FMA takes three numbers out of registers and puts one back.
// A chain of them shows how long one takes; eight chains in every thread show
// how many bytes per second the registers hand out.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <int kChains, class P>
LAB_KERNEL_OF(256)
void registers(View<const int, P> in, View<int, P> out, View<int, P> clocks,
               int rounds) {
  const float a = float(in[0]), b = float(in[1]);  // 1: the sums stay exact
  float x[kChains];
  for (int c = 0; c < kChains; ++c) x[c] = float(in[2 + c]);
  if (a + b + x[0] < 0) return;  // never; but it holds the clock for them
  const Times begin = times_at_begin();
#pragma unroll 16
  for (int k = 0; k < rounds; ++k)
    for (int c = 0; c < kChains; ++c) x[c] = x[c] * a + b;
  const Times end = times_at_end();
  float sum = 0;
  for (int c = 0; c < kChains; ++c) sum += x[c];
  const int tid = blockIdx.x * blockDim.x + threadIdx.x;
  out[tid] = int(sum);
  if (tid == 0) clocks[0] = int(end.cycle - begin.cycle);
}

template <class P>
void launch(Launcher<P>& gpu, View<const int, P> in, View<int, P> out,
            View<int, P> clocks, View<int, P>, const Settings& s) {
  if (s.chains == 1)
    gpu.launch("registers", registers<1, P>, {s.blocks}, {kThreads}, in, out,
               clocks, s.rounds);
  else
    gpu.launch("registers", registers<8, P>, {s.blocks}, {kThreads}, in, out,
               clocks, s.rounds);
}
