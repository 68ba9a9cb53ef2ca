// 01 stream: out = in, 16 bytes per thread and trip. Each store waits for its
// load, so a warp has one load under way, and an SM as many as it has resident
// warps. Any block size; elements are a multiple of 4.
#pragma once
#include "kernels/lab.cuh"
#include "kernels/occupancy/sizes.hpp"
#include "settings.cuh"

template <class P>
LAB_KERNEL void copy(View<const float, P> in, View<float, P> out,
                     int units) {
  const int threads = gridDim.x * blockDim.x;
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1           // or the compiler loads several before it stores one
  for (int unit = first; unit < units; unit += threads) {
    const float4 x = as<const float4>(in)[unit];
    as<float4>(out)[unit] = x;
  }
}

template <class P>
void launch(Launcher<P>& gpu, View<const float, P> in, View<float, P> out,
            const Settings& s) {
  const int units = s.elements / 4;                 // of 16 bytes
  const int blocks = ceil_div(units, s.threads * kTrips);
  gpu.launch_shared("copy", copy<P>, {blocks}, {s.threads}, s.shared_bytes,
                    in, out, units);
}
