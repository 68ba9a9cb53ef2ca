// 06 ways: a switch of so many cases, lane after lane another one. The warp
// takes every case that any of its lanes is in, one after the other: with 32
// ways one lane works and 31 wait.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL_OF(1024)
void ways(View<const float, P> in, View<float, P> out, View<int, P> clocks,
          int n, int rounds, int ways) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  const int mine = threadIdx.x % ways;
  const int begin = cycle_of(x);
  for (int k = 0; k < rounds; ++k) {
#pragma unroll 1
    for (int way = 0; way < ways; ++way) {
      LAB_ITERATION(k * ways + way);
      if (way == mine) {
        x = rise(x);  arithmetic(kFmas);
      }
    }
  }
  clocks[i] = cycle_of(x) - begin;
  out[i] = x;
}

template <class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  gpu.launch("ways", ways<P>, {ceil_div(s.n, s.threads)}, {s.threads}, at.in,
             at.out, at.clocks, s.n, s.rounds, s.ways);
}
