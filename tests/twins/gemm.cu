// A rung of gemm written out by hand, without any function of kernels/plain/device.cuh. Exported programs call those:
// that vectors taken apart and copies past the registers cost nothing there either is for this file to show. (Not held
// to be equal: load_or_zero and a ?: in its place, which nvcc compiles in another order, with a register or two more or
// less.) A namespace per rung; tests/registers.py compares.
#include <cuda_runtime.h>

namespace async {
template <int kBM, int kBN, int kBK, int kT>
__global__ void gemm(const float* __restrict__ a, const float* __restrict__ b,
                     float* __restrict__ c, int m, int n, int k) {
  constexpr int kX = kBN / kT, kY = kBM / kT, kThreads = kX * kY;
  __shared__ alignas(16) float a_tile[2 * kBK][kBM + 4];
  __shared__ float4 b_tile[2 * kBK][kBN / 4];
  const int tid = threadIdx.x, x = tid % kX, y = tid / kX;
  const int row0 = blockIdx.y * kBM, col0 = blockIdx.x * kBN;
  float sum[kT][kT] = {};
  const auto fetch = [&](int k0, int buffer) {
    for (int i = 0; i < kBM * kBK / kThreads; ++i) {
      const int row = tid / kBK + i * (kThreads / kBK), p = tid % kBK;
      const unsigned to = __cvta_generic_to_shared(&a_tile[buffer + p][row]);
      const int bytes = row0 + row < m && k0 + p < k ? 4 : 0;
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                   ::"r"(to), "l"(&a[(row0 + row) * k + k0 + p]), "r"(bytes) : "memory");
    }
    for (int i = 0; i < kBK * kBN / 4 / kThreads; ++i) {
      const int p = (tid + i * kThreads) / (kBN / 4), unit = tid % (kBN / 4);
      const unsigned to = __cvta_generic_to_shared(&b_tile[buffer + p][unit]);
      const int bytes = k0 + p < k && col0 + 4 * unit < n ? 16 : 0;
      const float4* from = &((const float4*)b)[(k0 + p) * (n / 4) + col0 / 4 + unit];
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    }
  };
  fetch(0, 0);
  asm volatile("cp.async.commit_group;" ::: "memory");
  for (int k0 = 0, use = 0; k0 < k; k0 += kBK, use ^= kBK) {
    if (k0 + kBK < k) fetch(k0 + kBK, use ^ kBK);
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    for (int p = use; p < use + kBK; ++p) {
      float a_value[kT], b_value[kT];
      for (int i = 0; i < kT; i += 4) {
        const float4 v = ((const float4*)a_tile[p])[i / 4 * kY + y];
        a_value[i] = v.x, a_value[i + 1] = v.y, a_value[i + 2] = v.z, a_value[i + 3] = v.w;
      }
      for (int j = 0; j < kT; j += 4) {
        const float4 v = b_tile[p][j / 4 * kX + x];
        b_value[j] = v.x, b_value[j + 1] = v.y, b_value[j + 2] = v.z, b_value[j + 3] = v.w;
      }
      for (int i = 0; i < kT; ++i)
        for (int j = 0; j < kT; ++j) sum[i][j] += a_value[i] * b_value[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < kT; ++i)
    for (int j = 0; j < kT; j += 4) {
      const int row = row0 + (i / 4 * kY + y) * 4 + i % 4, col = col0 + (j / 4 * kX + x) * 4;
      if (row < m && col < n)
        ((float4*)c)[(row * n + col) / 4] =
            make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
    }
}
template __global__ void gemm<32, 32, 8, 4>(const float*, const float*, float*, int, int, int);
template __global__ void gemm<64, 64, 8, 8>(const float*, const float*, float*, int, int, int);
template __global__ void gemm<128, 128, 8, 8>(const float*, const float*, float*, int, int, int);
}  // namespace async
