// 02 unrolled: four loads before the first store. A warp has four loads under
// way: as many bytes in flight as before with a quarter of the warps. Any block
// size; elements are a multiple of 4.
#pragma once
#include "kernels/lab.cuh"
#include "kernels/occupancy/sizes.hpp"
#include "settings.cuh"

template <class P>
LAB_KERNEL void copy(View<const float, P> in, View<float, P> out,
                     int units) {
  const int threads = gridDim.x * blockDim.x;
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int unit = first; unit < units; unit += 4 * threads) {
    float4 x[4];
    for (int i = 0; i < 4; ++i)
      x[i] = load_if(unit + i * threads < units,
                     as<const float4>(in)[unit + i * threads]);
    for (int i = 0; i < 4; ++i)
      if (unit + i * threads < units)
        as<float4>(out)[unit + i * threads] = x[i];
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
