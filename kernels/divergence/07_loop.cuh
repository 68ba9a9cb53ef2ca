// 07 loop: each lane has its own number of trips, from 1 to `rounds`. The warp
// stays in the loop until its last lane is through: lanes that are done wait.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL_OF(1024)
void loop(View<const float, P> in, View<float, P> out, View<int, P> clocks,
          int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  const int trips = 1 + int(x * float(rounds));  // x is below 1
  const int begin = cycle_of(x);
#pragma unroll 1
  for (int k = 0; k < trips; ++k) {
    x = rise(x);  arithmetic(kFmas);
  }
  clocks[i] = cycle_of(x) - begin;
  out[i] = x;
}

template <class P>
void launch(Launcher<P>& gpu, const Arrays<P>& at, const Settings& s) {
  gpu.launch("loop", loop<P>, {ceil_div(s.n, s.threads)}, {s.threads}, at.in,
             at.out, at.clocks, s.n, s.rounds);
}
