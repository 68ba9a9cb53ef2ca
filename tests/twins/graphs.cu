// Hand-written CUDA twins of kernels/pipeline: what a textbook would print. tests/registers.py compiles both and compares
// registers and shared bytes: the dialect must cost nothing.
#include <cuda_runtime.h>

using u64 = unsigned long long;

__device__ __forceinline__ u64 now() {
  u64 t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}
__device__ __forceinline__ void begin(u64* stamps, int kernel) {
  if (threadIdx.x == 0) atomicMin(&stamps[2 * kernel], now());
}
__device__ __forceinline__ void end(u64* stamps, int kernel) {
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(&stamps[2 * kernel + 1], now());
}
__device__ __forceinline__ unsigned mixed(unsigned x, int rounds) {
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) x = x * 1664525u + 1013904223u;
  return x;
}

namespace chain {
__global__ __launch_bounds__(128) void step(const unsigned* __restrict__ in, unsigned* __restrict__ x, u64* __restrict__ stamps, int kernel,
                                            int rounds) {
  begin(stamps, kernel);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned value = kernel == 0 ? in[i] : x[i];
  x[i] = mixed(value + kernel, rounds);
  end(stamps, kernel);
}
}  // namespace chain

namespace fork_join {
__global__ __launch_bounds__(128) void fork(const unsigned* __restrict__ in, unsigned* __restrict__ x, u64* __restrict__ stamps, int kernel,
                                            int rounds, int branches) {
  begin(stamps, kernel);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned value = mixed(in[i], rounds);
  for (int branch = 0; branch < branches; ++branch) x[branch * 512 + i] = value + branch;
  end(stamps, kernel);
}
__global__ __launch_bounds__(128) void step(unsigned* __restrict__ x, u64* __restrict__ stamps, int kernel, int rounds, int branch) {
  begin(stamps, kernel);
  const int i = branch * 512 + blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = mixed(x[i] + kernel, rounds);
  end(stamps, kernel);
}
__global__ __launch_bounds__(128) void join(unsigned* __restrict__ x, u64* __restrict__ stamps, int kernel, int rounds, int branches) {
  begin(stamps, kernel);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (int branch = 0; branch < branches; ++branch) sum += x[branch * 512 + i];
  x[i] = mixed(sum, rounds);
  end(stamps, kernel);
}
}  // namespace fork_join

namespace decode {
constexpr int kHidden = 128, kHeads = 4, kHeadDim = 32, kInner = 256, kCached = 64, kPosition = 40;

__global__ __launch_bounds__(kHidden) void norm(const float* __restrict__ in, const float* __restrict__ weight, float* __restrict__ out,
                                                u64* __restrict__ stamps, int kernel) {
  __shared__ alignas(16) float square[kHidden];
  begin(stamps, kernel);
  const int col = threadIdx.x, at = blockIdx.x * kHidden + col;
  const float x = in[at];
  square[col] = x * x;
  for (int half = kHidden / 2; half > 0; half /= 2) {
    __syncthreads();
    if (col < half) square[col] = square[col] + square[col + half];
  }
  __syncthreads();
  out[at] = x / sqrtf(square[0] / kHidden + 1e-5f) * weight[col];
  end(stamps, kernel);
}

__global__ __launch_bounds__(64) void product(const float* __restrict__ in, const float* __restrict__ weight,
                                              const float* __restrict__ residual, float* __restrict__ out, int depth, int cols,
                                              int with_residual, u64* __restrict__ stamps, int kernel) {
  begin(stamps, kernel);
  const int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  if (with_residual) sum = residual[row * cols + col];
  for (int k = 0; k < depth; ++k) sum += in[row * depth + k] * weight[k * cols + col];
  out[row * cols + col] = sum;
  end(stamps, kernel);
}

__global__ __launch_bounds__(kHidden) void rope(float* __restrict__ qkv, float* __restrict__ cache, u64* __restrict__ stamps, int kernel) {
  begin(stamps, kernel);
  const int row = blockIdx.x, pair = threadIdx.x % (kHidden / 2), is_k = threadIdx.x / (kHidden / 2);
  const int head = pair / (kHeadDim / 2), d = pair % (kHeadDim / 2), col = head * kHeadDim + d;
  const int first = row * 3 * kHidden + is_k * kHidden + col, second = first + kHeadDim / 2;
  const float angle = kPosition * exp2f(-13.287712f * d / (kHeadDim / 2));
  const float c = cosf(angle), s = sinf(angle), a = qkv[first], b = qkv[second];
  const float turned_a = a * c - b * s, turned_b = a * s + b * c;
  qkv[first] = turned_a, qkv[second] = turned_b;
  const int at = (row * 2 * kCached + kPosition) * kHidden;
  if (is_k) cache[at + col] = turned_a, cache[at + col + kHeadDim / 2] = turned_b;
  cache[at + kCached * kHidden + threadIdx.x] = qkv[row * 3 * kHidden + 2 * kHidden + threadIdx.x];
  end(stamps, kernel);
}

__global__ __launch_bounds__(kCached) void attend(const float* __restrict__ qkv, const float* __restrict__ cache, float* __restrict__ out,
                                                  u64* __restrict__ stamps, int kernel) {
  __shared__ alignas(16) float weight[kCached];
  __shared__ alignas(16) float total[2];
  begin(stamps, kernel);
  const int head = blockIdx.x, row = blockIdx.y, t = threadIdx.x, col = head * kHeadDim;
  const int k_row = row * 2 * kCached * kHidden + col, v_row = k_row + kCached * kHidden;
  float score = 0;
  if (t <= kPosition)
    for (int d = 0; d < kHeadDim; ++d) score += qkv[row * 3 * kHidden + col + d] * cache[k_row + t * kHidden + d];
  weight[t] = score / sqrtf(float(kHeadDim));
  __syncthreads();
  if (t == 0) {
    float most = weight[0], sum = 0;
    for (int p = 1; p <= kPosition; ++p) most = fmaxf(most, weight[p]);
    for (int p = 0; p <= kPosition; ++p) sum += expf(weight[p] - most);
    total[0] = most, total[1] = sum;
  }
  __syncthreads();
  if (t < kHeadDim) {
    float sum = 0;
    for (int p = 0; p <= kPosition; ++p) sum += expf(weight[p] - total[0]) / total[1] * cache[v_row + p * kHidden + t];
    out[row * kHidden + col + t] = sum;
  }
  end(stamps, kernel);
}

__global__ __launch_bounds__(64) void down(const float* __restrict__ gate, const float* __restrict__ up, const float* __restrict__ weight,
                                           const float* __restrict__ residual, float* __restrict__ out, u64* __restrict__ stamps,
                                           int kernel) {
  begin(stamps, kernel);
  const int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = residual[row * kHidden + col];
  for (int k = 0; k < kInner; ++k) {
    const float g = gate[row * kInner + k], u = up[row * kInner + k];
    sum += g / (1 + expf(-g)) * u * weight[k * kHidden + col];
  }
  out[row * kHidden + col] = sum;
  end(stamps, kernel);
}
}  // namespace decode
