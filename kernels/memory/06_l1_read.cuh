// 06 l1_read: every block reads the same few chunks over and over, 16 bytes per
// lane and four loads under way. After the first round they are in its SM's L1.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL_OF(256)
void l1_read(View<const int, P> in, View<int, P> out, int chunks, int rounds) {
  int sum = 0, chunk = 0;
  for (int k = 0; k < rounds; ++k) {
    const int unit = chunk * kChunkUnits + threadIdx.x;
    int4 x[4];
    for (int j = 0; j < 4; ++j)
      x[j] = as<const int4>(in)[unit + j * kThreads];
    for (int j = 0; j < 4; ++j) sum += sum_of(x[j]);
    if (++chunk == chunks) chunk = 0;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <class P>
void launch(Launcher<P>& gpu, View<const int, P> in, View<int, P> out,
            View<int, P>, View<int, P>, const Settings& s) {
  gpu.launch("l1_read", l1_read<P>, {s.blocks}, {kThreads}, in, out,
             s.words / (4 * kChunkUnits), s.rounds);
}
