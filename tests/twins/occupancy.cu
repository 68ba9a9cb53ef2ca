// Hand-written CUDA twins of kernels/occupancy: what a textbook would print. tests/registers.py compiles both and
// compares registers and shared bytes: the dialect must cost nothing. One namespace per rung.
#include <cuda_runtime.h>

namespace stream {
__global__ void copy(const float* __restrict__ in, float* __restrict__ out, int units) {
  const int threads = gridDim.x * blockDim.x;
#pragma unroll 1
  for (int u = blockIdx.x * blockDim.x + threadIdx.x; u < units; u += threads)
    reinterpret_cast<float4*>(out)[u] = reinterpret_cast<const float4*>(in)[u];
}
}  // namespace stream

namespace unrolled {
__global__ void copy(const float* __restrict__ in, float* __restrict__ out, int units) {
  const float4* from = reinterpret_cast<const float4*>(in);
  float4* to = reinterpret_cast<float4*>(out);
  const int threads = gridDim.x * blockDim.x;
#pragma unroll 1
  for (int u = blockIdx.x * blockDim.x + threadIdx.x; u < units; u += 4 * threads) {
    float4 x[4];
    for (int i = 0; i < 4; ++i) x[i] = u + i * threads < units ? from[u + i * threads] : float4{};
    for (int i = 0; i < 4; ++i)
      if (u + i * threads < units) to[u + i * threads] = x[i];
  }
}
}  // namespace unrolled

constexpr int kColumns = 512;

#define PRODUCTS                                                                                  \
  (const float* __restrict__ in, float* __restrict__ out, int n, int steps) {                     \
    const int t = blockIdx.x * blockDim.x + threadIdx.x;                                          \
    if (t >= n) return;                                                                           \
    float a[8], b[12], sum[8][12] = {};                                                           \
    for (int i = 0; i < 8; ++i) a[i] = in[i * kColumns + t % kColumns];                           \
    for (int j = 0; j < 12; ++j) b[j] = in[(8 + j) * kColumns + t % kColumns];                    \
    _Pragma("unroll 1") for (int step = 0; step < steps; ++step) {                                \
      _Pragma("unroll") for (int i = 0; i < 8; ++i) {                                             \
        _Pragma("unroll") for (int j = 0; j < 12; ++j) sum[i][j] += a[i] * b[j];                  \
        a[i] = 1 - a[i];                                                                          \
      }                                                                                           \
    }                                                                                             \
    float total = 0;                                                                              \
    for (int i = 0; i < 8; ++i)                                                                   \
      for (int j = 0; j < 12; ++j) total += sum[i][j];                                            \
    out[t] = total;                                                                               \
  }

namespace fma_ {
__global__ __launch_bounds__(512) void products PRODUCTS
}  // namespace fma_

namespace spilled {
__global__ __launch_bounds__(1024, 2) void products PRODUCTS
}  // namespace spilled
