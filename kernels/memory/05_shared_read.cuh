// 05 shared_read: all SMs read their shared memory, 16 bytes per lane: 32 banks
// of 4 bytes give 128 bytes per cycle.
#pragma once
#include "kernels/lab.cuh"
#include "settings.cuh"

template <class P>
LAB_KERNEL_OF(256)
void shared_read(View<const int, P> in, View<int, P> out, int rounds) {
  SHARED(int, tile, kTileWords);
  for (int i = threadIdx.x; i < kTileWords; i += blockDim.x) tile[i] = in[i];
  __syncthreads();
  int sum = 0;
#pragma unroll 8
  for (int k = 0; k < rounds; ++k) {
    const unsigned unit = (threadIdx.x + k * 32u) % (kTileWords / 4);
    const int4 x = as<int4>(tile)[unit];
    sum += sum_of(x);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <class P>
void launch(Launcher<P>& gpu, View<const int, P> in, View<int, P> out,
            View<int, P>, View<int, P>, const Settings& s) {
  gpu.launch("shared_read", shared_read<P>, {s.blocks}, {kThreads}, in, out,
             s.rounds);
}
