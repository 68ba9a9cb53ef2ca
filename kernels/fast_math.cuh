// The special function unit's own operations for kernels, the same in all three builds.
//
//   fast_exp2(x)   2^x within 2 units of the last place; results below 2^-126 are zero (PTX ISA, ex2.approx.ftz.f32)
#pragma once
#include <cmath>
#include <limits>

#include "kernels/lab.cuh"

namespace lab {

#ifdef __CUDACC__
LAB_DEVICE float fast_exp2(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}
#else
LAB_DEVICE float fast_exp2(float x) {
  const float power = std::exp2(x);
  return power < std::numeric_limits<float>::min() ? 0 : power;
}
#endif

}  // namespace lab
