// A rung of banks written out by hand: the harness that all of them share (kernels/banks/settings.cuh) and its words
// of vectors cost nothing. A namespace per rung; tests/registers.py compares.
#include <cuda_runtime.h>

namespace strided {
template <class T, int kChains, bool kStore>
__global__ void access(int* __restrict__ out, int* __restrict__ clocks, int stride, int offset, int repeat) {
  __shared__ alignas(16) int tile[8192];
  constexpr int kWords = sizeof(T) / 4;
  for (int i = threadIdx.x; i < offset + 31 * stride + 32 * kChains; i += blockDim.x) tile[i] = i / kWords;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  int at[kChains], rest = 0;
  for (int c = 0; c < kChains; ++c) at[c] = (offset + lane * stride + 32 * c) / kWords;
  const int begin = int(clock());
#pragma unroll 16
  for (int i = 0; i < repeat; ++i) {
    for (int c = 0; c < kChains; ++c) {
      T& element = reinterpret_cast<T*>(tile)[at[c]];
      if constexpr (kStore) {
        const int next = at[c] + 1;
        if constexpr (kWords == 1) element = next;
        if constexpr (kWords == 2) element = make_int2(next, next);
        if constexpr (kWords == 4) element = make_int4(next, next, next, next);
      } else {
        const T loaded = element;
        if constexpr (kWords == 1) at[c] = loaded;
        if constexpr (kWords == 2) at[c] = loaded.x, rest += loaded.y;
        if constexpr (kWords == 4) at[c] = loaded.x, rest += loaded.y + loaded.z + loaded.w;
      }
    }
    if constexpr (kStore) __syncwarp();
  }
  const int end = int(clock());
  for (int c = 0; c < kChains; ++c) rest += kStore ? tile[at[c] * kWords] : at[c];
  out[threadIdx.x] = rest;
  if (lane == 0) clocks[threadIdx.x / 32 * 2] = begin, clocks[threadIdx.x / 32 * 2 + 1] = end;
}
template __global__ void access<int, 1, false>(int*, int*, int, int, int);
template __global__ void access<int2, 4, false>(int*, int*, int, int, int);
template __global__ void access<int4, 4, false>(int*, int*, int, int, int);
template __global__ void access<int, 4, true>(int*, int*, int, int, int);
template __global__ void access<int2, 1, true>(int*, int*, int, int, int);
template __global__ void access<int4, 4, true>(int*, int*, int, int, int);
}  // namespace strided
