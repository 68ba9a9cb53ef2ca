// Hand-written CUDA twins of kernels/softmax: what a textbook would print. tests/registers.py compiles both and compares
// registers and shared bytes: the dialect must cost nothing. One namespace per rung.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math.h>

__device__ __forceinline__ float max_of_warp(float x) {
  for (int lanes = 16; lanes > 0; lanes /= 2) x = fmaxf(x, __shfl_xor_sync(~0u, x, lanes));
  return x;
}
__device__ __forceinline__ float sum_of_warp(float x) {
  for (int lanes = 16; lanes > 0; lanes /= 2) x += __shfl_xor_sync(~0u, x, lanes);
  return x;
}
__device__ __forceinline__ float top(float m) { return m == -INFINITY ? 0 : m; }

#define EACH_TILE(T)                                                                            \
  template __global__ void softmax<32, T>(const T* __restrict__, T* __restrict__, int, int);    \
  template __global__ void softmax<64, T>(const T* __restrict__, T* __restrict__, int, int);    \
  template __global__ void softmax<128, T>(const T* __restrict__, T* __restrict__, int, int);   \
  template __global__ void softmax<256, T>(const T* __restrict__, T* __restrict__, int, int);
#define EACH(KERNELS) KERNELS(float) KERNELS(half) KERNELS(nv_bfloat16)

namespace naive {
template <int kTile, class T>
__global__ __launch_bounds__(128) void softmax(const T* __restrict__ in, T* __restrict__ out, int rows, int cols) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
  if (row >= rows) return;
  float l = 0;
  for (int j = 0; j * kTile < cols; ++j) {
    float l_j = 0;
    for (int i = 0; i < kTile / 32; ++i) {
      const int col = j * kTile + i * 32 + lane;
      if (col < cols) l_j += expf(float(in[row * cols + col]));
    }
    l += sum_of_warp(l_j);
  }
  for (int j = 0; j * kTile < cols; ++j)
    for (int i = 0; i < kTile / 32; ++i) {
      const int col = j * kTile + i * 32 + lane;
      if (col < cols) out[row * cols + col] = T(expf(float(in[row * cols + col])) / l);
    }
}
EACH(EACH_TILE)
}  // namespace naive

namespace safe {
template <int kTile, class T>
__global__ __launch_bounds__(128) void softmax(const T* __restrict__ in, T* __restrict__ out, int rows, int cols) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
  if (row >= rows) return;
  float m = -INFINITY, l = 0;
  for (int j = 0; j * kTile < cols; ++j) {
    for (int i = 0; i < kTile / 32; ++i) {
      const int col = j * kTile + i * 32 + lane;
      if (col < cols) m = fmaxf(m, float(in[row * cols + col]));
    }
    m = max_of_warp(m);
  }
  for (int j = 0; j * kTile < cols; ++j) {
    float l_j = 0;
    for (int i = 0; i < kTile / 32; ++i) {
      const int col = j * kTile + i * 32 + lane;
      if (col < cols) l_j += expf(float(in[row * cols + col]) - top(m));
    }
    l += sum_of_warp(l_j);
  }
  const float share = l > 0 ? 1 / l : 0;
  for (int j = 0; j * kTile < cols; ++j)
    for (int i = 0; i < kTile / 32; ++i) {
      const int col = j * kTile + i * 32 + lane;
      if (col < cols) out[row * cols + col] = T(expf(float(in[row * cols + col]) - top(m)) * share);
    }
}
EACH(EACH_TILE)
}  // namespace safe

namespace online {
template <int kTile, class T>
__global__ __launch_bounds__(128) void softmax(const T* __restrict__ in, T* __restrict__ out, int rows, int cols) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
  if (row >= rows) return;
  float m = -INFINITY, l = 0;
  for (int j = 0; j * kTile < cols; ++j) {
    float x[kTile / 32], m_j = -INFINITY, l_j = 0;
    for (int i = 0; i < kTile / 32; ++i) {
      const int col = j * kTile + i * 32 + lane;
      x[i] = -INFINITY;
      if (col < cols) x[i] = float(in[row * cols + col]);
      m_j = fmaxf(m_j, x[i]);
    }
    m_j = max_of_warp(m_j);
    for (int i = 0; i < kTile / 32; ++i) l_j += expf(x[i] - top(m_j));
    l_j = sum_of_warp(l_j);
    const float m_new = fmaxf(m, m_j), factor = expf(m - top(m_new));
    l = l * factor + l_j * expf(m_j - top(m_new));
    m = m_new;
  }
  const float share = l > 0 ? 1 / l : 0;
  for (int j = 0; j * kTile < cols; ++j)
    for (int i = 0; i < kTile / 32; ++i) {
      const int col = j * kTile + i * 32 + lane;
      if (col < cols) out[row * cols + col] = T(expf(float(in[row * cols + col]) - top(m)) * share);
    }
}
EACH(EACH_TILE)
}  // namespace online

namespace fused {
template <int kCols, class T>
__global__ __launch_bounds__(256) void softmax(const T* __restrict__ in, T* __restrict__ out, int cols) {
  extern __shared__ __align__(16) unsigned char dynamic_bytes[];
  float* x = reinterpret_cast<float*>(dynamic_bytes);
  __shared__ alignas(16) float warp_m[8];
  __shared__ alignas(16) float warp_l[8];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, row = blockIdx.x;
  float m = -INFINITY, l = 0;
  for (int col = tid; col < cols; col += 256) {
    const T score = in[row * cols + col];
    x[col] = float(score);
    m = fmaxf(m, float(score));
  }
  m = max_of_warp(m);
  if (lane == 0) warp_m[warp] = m;
  __syncthreads();
  m = max_of_warp(warp_m[lane % 8]);
  for (int col = tid; col < cols; col += 256) {
    const float e = expf(x[col] - top(m));
    x[col] = e;
    l += e;
  }
  l = sum_of_warp(l);
  if (lane == 0) warp_l[warp] = l;
  __syncthreads();
  l = sum_of_warp(warp_l[lane % 8]) / 4;
  const float share = l > 0 ? 1 / l : 0;
  for (int col = tid; col < cols; col += 256) out[row * cols + col] = T(x[col] * share);
}
#define EACH_ROOM(T)                                                                          \
  template __global__ void softmax<1024, T>(const T* __restrict__, T* __restrict__, int);     \
  template __global__ void softmax<4096, T>(const T* __restrict__, T* __restrict__, int);     \
  template __global__ void softmax<8192, T>(const T* __restrict__, T* __restrict__, int);     \
  template __global__ void softmax<16384, T>(const T* __restrict__, T* __restrict__, int);    \
  template __global__ void softmax<57344, T>(const T* __restrict__, T* __restrict__, int);
EACH(EACH_ROOM)
}  // namespace fused

namespace vectorized {
template <class T>
struct alignas(16) Pack {
  T x[16 / sizeof(T)];
};
template <int kWarps, int kElements, class T>
__global__ __launch_bounds__(kWarps * 32) void softmax(const T* __restrict__ in, T* __restrict__ out, int cols) {
  constexpr int kWide = 16 / sizeof(T), kPacks = kElements / kWide;
  __shared__ alignas(16) float warp_m[32];
  __shared__ alignas(16) float warp_l[32];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, row = blockIdx.x, packs = cols / kWide;
  Pack<T> pack[kPacks];
  for (int i = 0; i < kPacks; ++i) {
    const int p = i * kWarps * 32 + tid;
    pack[i] = p < packs ? reinterpret_cast<const Pack<T>*>(in)[row * packs + p] : Pack<T>{};
  }
  float x[kPacks][kWide], m = -INFINITY, l = 0;
  for (int i = 0; i < kPacks; ++i)
    for (int e = 0; e < kWide; ++e) {
      x[i][e] = i * kWarps * 32 + tid < packs ? float(pack[i].x[e]) : -INFINITY;
      m = fmaxf(m, x[i][e]);
    }
  m = max_of_warp(m);
  for (int i = 0; i < kPacks; ++i)
    for (int e = 0; e < kWide; ++e) l += x[i][e] = expf(x[i][e] - top(m));
  l = sum_of_warp(l);
  if (lane == 0) warp_m[warp] = m, warp_l[warp] = l;
  __syncthreads();
  const float m_w = lane < kWarps ? warp_m[lane] : -INFINITY, m_row = max_of_warp(m_w);
  const float l_w = lane < kWarps ? warp_l[lane] : 0;
  l = sum_of_warp(l_w * expf(m_w - top(m_row)));
  const float share = l > 0 ? expf(m - top(m_row)) / l : 0;
  for (int i = 0; i < kPacks; ++i) {
    const int p = i * kWarps * 32 + tid;
    for (int e = 0; e < kWide; ++e) pack[i].x[e] = T(x[i][e] * share);
    if (p < packs) reinterpret_cast<Pack<T>*>(out)[row * packs + p] = pack[i];
  }
}
#define EACH_SHAPE(T)                                                                      \
  template __global__ void softmax<2, 8, T>(const T* __restrict__, T* __restrict__, int);  \
  template __global__ void softmax<8, 8, T>(const T* __restrict__, T* __restrict__, int); \
  template __global__ void softmax<4, 32, T>(const T* __restrict__, T* __restrict__, int); \
  template __global__ void softmax<8, 32, T>(const T* __restrict__, T* __restrict__, int); \
  template __global__ void softmax<16, 32, T>(const T* __restrict__, T* __restrict__, int);\
  template __global__ void softmax<32, 32, T>(const T* __restrict__, T* __restrict__, int);
EACH(EACH_SHAPE)
}  // namespace vectorized
