// 07 read: the blocks go through the footprint chunk by chunk, all of them at
// different places, and around L1. A footprint that fits the L2 is read there,
// a larger one from memory.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL_OF(256)
void read(View<const int, P> in, View<int, P> out, int chunks, int rounds) {
  int sum = 0, chunk = blockIdx.x % chunks;
  const int step = gridDim.x % chunks;
  for (int k = 0; k < rounds; ++k) {
    const int unit = chunk * kChunkUnits + threadIdx.x;
    int4 x[4];
    for (int j = 0; j < 4; ++j)
      x[j] = __ldcg(&as<const int4>(in)[unit + j * kThreads]);
    for (int j = 0; j < 4; ++j) sum += sum_of(x[j]);
    chunk += step;
    if (chunk >= chunks) chunk -= chunks;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <class P>
void launch(Launcher<P>& gpu, View<const int, P> in, View<int, P> out,
            View<int, P>, View<int, P>, const Settings& s) {
  gpu.launch("read", read<P>, {s.blocks}, {kThreads}, in, out,
             s.words / (4 * kChunkUnits), s.rounds);
}
