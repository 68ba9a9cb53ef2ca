// The one header that a kernel includes. A kernel is textbook CUDA C++, a template over a probe P:
//
//   View<const float, P> in       a kernel argument: in[i] reads, out[i] = x writes
//   View2<float, P> m             the same with rows: m[row][col]
//   as<float4>(in)[i]             16 bytes per access
//   SHARED(float, tile, 32, 33)   float tile[32][33] in shared memory; SHARED(float, sum, 32) is float sum[32]
//   DYNAMIC_SHARED(float, t, r, c, 0)  the same on the launch's dynamic shared memory, from byte 0 on
//   as<float4>(tile)[r][c]        16 bytes per access; load_if(inside, in[i]) is zero where the condition is false
//   copy_async(tile[r][c], in[i]); copy_async_commit(); copy_async_wait<0>();      cp.async
//   copy_async_if(inside, tile[r][c], in[i])      writes zeros, and reads nothing, where the condition is false
//   LAB_KERNEL_OF(256) void f(..)  a kernel for blocks of 256 threads: the compiler may plan its registers for that
//   begin_step("scores", j);      what follows is the j-th step of that name; every thread with a part in it says so
//   show("m", row, x);            the float or int x, as the kernel holds it here; show_if(lane == 0, "m", row, x)
//   as<volatile int>(in)[i]       an element that other blocks write meanwhile
//   arithmetic(n);                what follows is n instructions of the lanes that come here, none on memory
//   LAB_ITERATION(k);             first in a loop body whose iterations some lanes skip
//
// It is compiled three times. Clean, for timing: a View is a plain pointer, nothing else remains. Traced, on the GPU:
// every access records {thread, site, address, active lanes, clock}. Emulated, on the CPU (no nvcc): one fiber per
// thread, every access recorded and checked. An index captures the line that it stands in.
// Write `float x = in[i]`, not `auto x = in[i]`: in the traced builds in[i] is a reference that knows its line.
#pragma once
#include "app/model/event.hpp"
#include "kernels/extents.hpp"

#ifdef __CUDACC__
#define LAB_KERNEL __global__
#define LAB_KERNEL_OF(...) __global__ __launch_bounds__(__VA_ARGS__)
#define LAB_DEVICE __device__ __forceinline__
#else
#define LAB_KERNEL
#define LAB_KERNEL_OF(...)
#define LAB_DEVICE inline
#endif

#if !defined(__CUDACC__)
#include "kernels/simt/dialect.hpp"
#elif defined(LAB_TRACED)
#include "kernels/cuda/traced.cuh"
#else
#include "kernels/cuda/clean.cuh"
#endif

namespace lab {
using bf16 = std::uint16_t;  // its bits: kernels hand them on to the tensor core

LAB_DEVICE void put4(float* to, float4 x) { to[0] = x.x, to[1] = x.y, to[2] = x.z, to[3] = x.w; }
LAB_DEVICE float4 get4(const float* from) { return make_float4(from[0], from[1], from[2], from[3]); }

// Vectors of words: the first one; the sum of the others; all of them alike.
LAB_DEVICE int first_word(int v) { return v; }
LAB_DEVICE int first_word(int2 v) { return v.x; }
LAB_DEVICE int first_word(int4 v) { return v.x; }
LAB_DEVICE int other_words(int) { return 0; }
LAB_DEVICE int other_words(int2 v) { return v.y; }
LAB_DEVICE int other_words(int4 v) { return v.y + v.z + v.w; }
template <class T>
LAB_DEVICE T splat(int x) {
  if constexpr (sizeof(T) == 4) return x;
  else if constexpr (sizeof(T) == 8) return make_int2(x, x);
  else return make_int4(x, x, x, x);
}
}  // namespace lab
