// 01 places: every block does its work and notes down on which SM it was, in
// which of the SM's warp slots, when it began and when it ended. No launch
// chooses the SM: the hardware does, block after block, wherever one fits.
#pragma once
#include "kernels/lab.cuh"
#include "kernels/architecture/sizes.hpp"
#include "settings.cuh"

template <int kHeld, class P>
LAB_KERNEL void places(View<float, P> in, View<float, P> out,
                       View<unsigned, P> where, int turns, int skew) {
  const unsigned begin = now_ns();
  const float a = in[0], b = in[1];        // both 1: the sum counts its FMAs
  float x = in[kFirst + threadIdx.x];
  float held[kHeld + 1];                   // nothing but registers in use
  for (int c = 0; c < kHeld; ++c) held[c] = in[kFirst + threadIdx.x + 1 + c];
  __syncthreads();
  const int mine = turns_of(skew, turns, blockIdx.x, gridDim.x);
#pragma unroll 1
  for (int turn = 0; turn < mine; ++turn)
    for (int k = 0; k < kFmas; ++k) x = x * a + b;
  for (int c = 0; c < kHeld; ++c) x += held[c];
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
  __syncthreads();
  if (threadIdx.x == 0) {
    where[4 * blockIdx.x] = sm_id();
    where[4 * blockIdx.x + 1] = warp_slot();
    where[4 * blockIdx.x + 2] = begin;
    where[4 * blockIdx.x + 3] = now_ns();
  }
}

template <class P>
void launch(Launcher<P>& gpu, View<float, P> in, View<float, P> out,
            View<unsigned, P> where, const Settings& s) {
  for_held(s, [&](auto held) {
    gpu.launch_shared("places", places<held(), P>, {s.blocks}, {s.threads},
                      s.shared_bytes, in, out, where, s.turns, s.skew);
  });
}
