// Hand-written CUDA twins of kernels/micro: what a textbook would print. tests/registers.py compiles both and compares
// registers and shared bytes: the dialect must cost nothing. One namespace per rung.
#include <cuda_runtime.h>

__device__ __forceinline__ void keep(int* clocks, int begin, int end) {
  if (threadIdx.x % 32 != 0) return;
  clocks[threadIdx.x / 32 * 2] = begin;
  clocks[threadIdx.x / 32 * 2 + 1] = end;
}

#define BOTH(name)                                                                                         \
  template __global__ void name<1>(int* __restrict__, int* __restrict__, const int* __restrict__, int);    \
  template __global__ void name<4>(int* __restrict__, int* __restrict__, const int* __restrict__, int);

namespace fma_ {
template <int kChains>
__global__ void fma(int* __restrict__ out, int* __restrict__ clocks, const int* __restrict__ next, int repeat) {
  float x[kChains];
  for (int c = 0; c < kChains; ++c) x[c] = float(next[c]);
  const float a = float(next[1]), b = float(next[2]);
  int begin = 0, end = 0;
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    begin = int(clock());
#pragma unroll 16
    for (int k = 0; k < repeat; ++k)
      for (int c = 0; c < kChains; ++c) x[c] = x[c] * a + b;
    end = int(clock());
  }
  float sum = 0;
  for (int c = 0; c < kChains; ++c) sum += x[c];
  out[threadIdx.x] = int(sum);
  keep(clocks, begin, end);
}
BOTH(fma)
}  // namespace fma_

namespace address {
template <int kChains>
__global__ void address(int* __restrict__ out, int* __restrict__ clocks, const int* __restrict__ next, int repeat) {
  unsigned x[kChains];
  for (int c = 0; c < kChains; ++c) x[c] = unsigned(next[c]);
  const unsigned a = unsigned(next[32]), b = unsigned(next[33]);
  int begin = 0, end = 0;
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    begin = int(clock());
#pragma unroll 16
    for (int k = 0; k < repeat; ++k)
      for (int c = 0; c < kChains; ++c) x[c] = x[c] * a + b;
    end = int(clock());
  }
  unsigned sum = 0;
  for (int c = 0; c < kChains; ++c) sum += x[c];
  out[threadIdx.x] = int(sum);
  keep(clocks, begin, end);
}
BOTH(address)
}  // namespace address

namespace l2 {
template <int kChains>
__global__ void l2(int* __restrict__ out, int* __restrict__ clocks, const int* __restrict__ next, int repeat) {
  int at[kChains], begin = 0, end = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int c = 0; c < kChains; ++c) at[c] = (threadIdx.x / 32 * kChains + c) * 32 + threadIdx.x % 32;
    __syncthreads();
    begin = int(clock());
#pragma unroll 16
    for (int k = 0; k < repeat; ++k)
      for (int c = 0; c < kChains; ++c) at[c] = __ldcg(&next[at[c]]);
    end = int(clock());
  }
  int sum = 0;
  for (int c = 0; c < kChains; ++c) sum += at[c];
  out[threadIdx.x] = sum;
  keep(clocks, begin, end);
}
BOTH(l2)
}  // namespace l2

namespace l1 {
template <int kChains>
__global__ void l1(int* __restrict__ out, int* __restrict__ clocks, const int* __restrict__ next, int repeat) {
  int at[kChains], begin = 0, end = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int c = 0; c < kChains; ++c) at[c] = (threadIdx.x / 32 * kChains + c) * 32 + threadIdx.x % 32;
    __syncthreads();
    begin = int(clock());
#pragma unroll 16
    for (int k = 0; k < repeat; ++k)
      for (int c = 0; c < kChains; ++c) at[c] = next[at[c]];
    end = int(clock());
  }
  int sum = 0;
  for (int c = 0; c < kChains; ++c) sum += at[c];
  out[threadIdx.x] = sum;
  keep(clocks, begin, end);
}
BOTH(l1)
}  // namespace l1

namespace barrier {
template <int kChains>
__global__ void barrier(int* __restrict__ out, int* __restrict__ clocks, const int* __restrict__ next, int repeat) {
  __syncthreads();
  const int begin = int(clock());
#pragma unroll 16
  for (int k = 0; k < repeat; ++k) __syncthreads();
  const int end = int(clock());
  out[threadIdx.x] = next[0] + kChains;
  keep(clocks, begin, end);
}
BOTH(barrier)
}  // namespace barrier

namespace shared {
template <int kChains>
__global__ void shared(int* __restrict__ out, int* __restrict__ clocks, const int* __restrict__ next, int repeat) {
  __shared__ alignas(16) int tile[32 * 4 * 32];
  for (int i = threadIdx.x; i < 32 * 4 * 32; i += blockDim.x) tile[i] = next[i];
  int at[kChains];
  for (int c = 0; c < kChains; ++c) at[c] = (threadIdx.x / 32 * kChains + c) * 32 + threadIdx.x % 32;
  __syncthreads();
  const int begin = int(clock());
#pragma unroll 16
  for (int k = 0; k < repeat; ++k)
    for (int c = 0; c < kChains; ++c) at[c] = tile[at[c]];
  const int end = int(clock());
  int sum = 0;
  for (int c = 0; c < kChains; ++c) sum += at[c];
  out[threadIdx.x] = sum;
  keep(clocks, begin, end);
}
BOTH(shared)
}  // namespace shared

namespace branch {
template <int kChains>
__global__ void branch(int* __restrict__ out, int* __restrict__ clocks, const int* __restrict__ next, int repeat) {
  unsigned x[kChains];
  for (int c = 0; c < kChains; ++c) x[c] = unsigned(next[c]);
  const unsigned a = unsigned(next[32]), b = unsigned(next[33]);
  int begin = 0, end = 0;
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    begin = int(clock());
#pragma unroll 1
    for (int k = 0; k < repeat; ++k)
      for (int c = 0; c < kChains; ++c) x[c] = x[c] * a + b;
    end = int(clock());
  }
  unsigned sum = 0;
  for (int c = 0; c < kChains; ++c) sum += x[c];
  out[threadIdx.x] = int(sum);
  keep(clocks, begin, end);
}
BOTH(branch)
}  // namespace branch

namespace policy {
template <int kChains>
__global__ void policy(int* __restrict__ out, int* __restrict__ clocks, const int* __restrict__ next, int repeat) {
  float x[2 * kChains];
  for (int c = 0; c < 2 * kChains; ++c) x[c] = float(next[c]);
  const float a = float(next[0]), b = float(next[33]);
  int begin = 0, end = 0;
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    begin = int(clock());
#pragma unroll 16
    for (int k = 0; k < repeat; ++k)
      for (int c = 0; c < 2 * kChains; ++c) x[c] = x[c] * a + b;
    end = int(clock());
  }
  float sum = 0;
  for (int c = 0; c < 2 * kChains; ++c) sum += x[c];
  out[threadIdx.x] = int(sum);
  keep(clocks, begin, end);
}
BOTH(policy)
}  // namespace policy
