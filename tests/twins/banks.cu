// The banks ladder as it is written without the dialect: registers.py compares what the two compile to.
#include <cuda_runtime.h>

__device__ __forceinline__ int first_of(int v) { return v; }
__device__ __forceinline__ int first_of(int2 v) { return v.x; }
__device__ __forceinline__ int first_of(int4 v) { return v.x; }
__device__ __forceinline__ int others_of(int) { return 0; }
__device__ __forceinline__ int others_of(int2 v) { return v.y; }
__device__ __forceinline__ int others_of(int4 v) { return v.y + v.z + v.w; }
__device__ __forceinline__ void set(int& v, int x) { v = x; }
__device__ __forceinline__ void set(int2& v, int x) { v = make_int2(x, x); }
__device__ __forceinline__ void set(int4& v, int x) { v = make_int4(x, x, x, x); }

// The rungs differ in two expressions alone.
#define TWIN(rung, arguments, words_needed, word_of_lane)                                                     \
  namespace rung {                                                                                            \
  template <class T, int kChains, bool kStore>                                                                \
  __global__ void access(int* __restrict__ out, int* __restrict__ clocks, arguments int repeat) {             \
    __shared__ alignas(16) int tile[8192];                                                                    \
    constexpr int kWords = sizeof(T) / 4;                                                                     \
    const int words = words_needed;                                                                           \
    for (int i = threadIdx.x; i < words; i += blockDim.x) tile[i] = i / kWords;                               \
    __syncthreads();                                                                                          \
    const int lane = threadIdx.x % 32;                                                                        \
    const int word = word_of_lane;                                                                            \
    int at[kChains];                                                                                          \
    for (int c = 0; c < kChains; ++c) at[c] = (word + 32 * c) / kWords;                                       \
    int rest = 0;                                                                                             \
    const int begin = int(clock());                                                                           \
    _Pragma("unroll 16") for (int k = 0; k < repeat; ++k) {                                                   \
      for (int c = 0; c < kChains; ++c) {                                                                     \
        T& element = reinterpret_cast<T*>(tile)[at[c]];                                                       \
        if constexpr (kStore) set(element, at[c] + 1);                                                        \
        else {                                                                                                \
          const T loaded = element;                                                                           \
          at[c] = first_of(loaded), rest += others_of(loaded);                                                \
        }                                                                                                     \
      }                                                                                                       \
      if constexpr (kStore) __syncwarp();                                                                     \
    }                                                                                                         \
    const int end = int(clock());                                                                             \
    int sum = rest;                                                                                           \
    for (int c = 0; c < kChains; ++c) {                                                                       \
      if constexpr (kStore) sum += tile[at[c] * kWords];                                                      \
      else sum += at[c];                                                                                      \
    }                                                                                                         \
    out[threadIdx.x] = sum;                                                                                   \
    if (lane == 0) clocks[threadIdx.x / 32 * 2] = begin, clocks[threadIdx.x / 32 * 2 + 1] = end;              \
  }                                                                                                           \
  }
#define INSTANCES(rung, T, ...)                                              \
  template __global__ void rung::access<T, 1, false>(__VA_ARGS__);           \
  template __global__ void rung::access<T, 4, false>(__VA_ARGS__);           \
  template __global__ void rung::access<T, 1, true>(__VA_ARGS__);            \
  template __global__ void rung::access<T, 4, true>(__VA_ARGS__);
#define ALL(rung, ...) INSTANCES(rung, int, __VA_ARGS__) INSTANCES(rung, int2, __VA_ARGS__) INSTANCES(rung, int4, __VA_ARGS__)
#define TWO(a, b) int a, int b,

TWIN(strided, TWO(stride, offset), offset + 31 * stride + 32 * kChains, offset + lane * stride)
ALL(strided, int*, int*, int, int, int)
TWIN(column, TWO(pitch, column), 31 * pitch + column + 32 * kChains, lane * pitch + column)
ALL(column, int*, int*, int, int, int)
#define ONE(a) int a,
TWIN(padded, ONE(column), 31 * 33 + column + 32 * kChains, lane * 33 + column)
ALL(padded, int*, int*, int, int)
TWIN(swizzled, ONE(column), 31 * 32 + 32 + 32 * kChains, lane * 32 + (column ^ lane))
ALL(swizzled, int*, int*, int, int)
TWIN(vector, TWO(pitch, column), 31 * pitch + column + 32 * kChains, lane * pitch + column)
ALL(vector, int*, int*, int, int, int)
TWIN(broadcast, TWO(divide, modulo), 32 * kWords + 32 * kChains, lane / divide % modulo * kWords)
ALL(broadcast, int*, int*, int, int, int)
#define MAP const int *__restrict__ map,
TWIN(layout, MAP, map[32] + 32 * (kChains - 1), map[lane])
ALL(layout, int*, int*, const int*, int)
