// Hand-written CUDA twins of kernels/scheduler: what a textbook would print. tests/registers.py compiles both and compares
// registers and shared bytes: the dialect must cost nothing.
#include <cuda_runtime.h>

namespace chain {
constexpr int kIterations = 8, kMaxIlp = 4;

template <int kIlp, int kFma>
__global__ __launch_bounds__(1024, 2) void chain(float* __restrict__ out, int* __restrict__ clocks, const int* __restrict__ next,
                                                 int* __restrict__ seats, int barrier_every) {
  __shared__ alignas(16) int starts[32 * (kIterations + 1)];
  __shared__ alignas(16) int gate[1];
  __shared__ alignas(16) int chosen[1];
  int seat = 0;
  if (gridDim.x != 1) {
    if (threadIdx.x == 0) {
      int sm;
      asm("mov.u32 %0, %%smid;" : "=r"(sm));
      chosen[0] = sm == 0 ? atomicAdd(&seats[0], 1) : 2;
    }
    __syncthreads();
    seat = chosen[0];
  }
  if (seat >= 2) return;
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * (kIterations + 1), warp = (seat * blockDim.x + threadIdx.x) / 32;
  int at[kIlp];
  float sum[kIlp];
  for (int c = 0; c < kIlp; ++c) at[c] = (warp * kMaxIlp + c) * 32 + lane, sum[c] = 0;
  if (threadIdx.x == 0) gate[0] = barrier_every;
  for (int pass = 0; pass < 2; ++pass) {
    int until_barrier = barrier_every;
    if (threadIdx.x < 32)
      while ((int(clock()) & 0x1ffff) > 255) {}
    __syncthreads();
    if (gate[0] < 0) return;
#pragma unroll 1
    for (int k = 0; k < kIterations; ++k) {
      const int now = int(clock());
      if (lane == 0) starts[row + k] = now;
      for (int c = 0; c < kIlp; ++c) at[c] = __ldcg(&next[at[c]]);
      for (int j = 0; j < kFma; ++j)
        for (int c = 0; c < kIlp; ++c) sum[c] = sum[c] * 0.5f + float(at[c]);
      if (--until_barrier == 0) {
        __syncthreads();
        until_barrier = barrier_every;
      }
    }
    const int now = int(clock());
    if (lane == 0) starts[row + kIterations] = now;
  }
  float total = 0;
  for (int c = 0; c < kIlp; ++c) total += sum[c] + float(at[c]);
  out[warp * 32 + lane] = total;
  __syncwarp();
  if (lane <= kIterations) clocks[warp * (kIterations + 1) + lane] = starts[row + lane];
}

__global__ void free_seats(int* __restrict__ seats) { seats[0] = 0; }

#define CHAIN(ilp, fma) template __global__ void chain<ilp, fma>(float* __restrict__, int* __restrict__, const int* __restrict__, int* __restrict__, int);
#define CHAINS(ilp)                                                                                 \
  CHAIN(ilp, 0) CHAIN(ilp, 1) CHAIN(ilp, 2) CHAIN(ilp, 4) CHAIN(ilp, 6) CHAIN(ilp, 8) CHAIN(ilp, 12) \
  CHAIN(ilp, 16) CHAIN(ilp, 24) CHAIN(ilp, 32)
CHAINS(1) CHAINS(2) CHAINS(4)
}  // namespace chain
