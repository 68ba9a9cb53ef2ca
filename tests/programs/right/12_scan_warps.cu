// Prefix sum over many blocks with three kernels; inside a block by warp shuffles.
#include <cstdio>
#include <numeric>
#include <vector>

constexpr int kBlock = 128;
constexpr unsigned kAll = 0xffffffffu;

__device__ int warp_scan(int value) {
  const int lane = threadIdx.x % 32;
  for (int distance = 1; distance < 32; distance <<= 1) {
    const int left = __shfl_up_sync(kAll, value, distance);
    if (lane >= distance) value += left;
  }
  return value;
}

__global__ void scan_blocks(const int* in, int* out, int* sums, int n) {
  __shared__ int warp_sums[kBlock / 32];
  const int i = blockIdx.x * kBlock + threadIdx.x;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int value = warp_scan(i < n ? in[i] : 0);
  if (lane == 31) warp_sums[warp] = value;
  __syncthreads();
  for (int w = 0; w < warp; ++w) value += warp_sums[w];
  if (i < n) out[i] = value;
  if (threadIdx.x == kBlock - 1) sums[blockIdx.x] = value;
}

__global__ void scan_sums(int* sums, int blocks) {
  const int value = warp_scan(threadIdx.x < blocks ? sums[threadIdx.x] : 0);
  if (threadIdx.x < blocks) sums[threadIdx.x] = value;
}

__global__ void add_sums(int* out, const int* sums, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

int main() {
  const int n = 3000, blocks = (n + kBlock - 1) / kBlock;
  std::vector<int> in(n), out(n), want(n);
  for (int i = 0; i < n; ++i) in[i] = (i * i) % 5;
  std::partial_sum(in.begin(), in.end(), want.begin());

  int *d_in, *d_out, *d_sums;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_out, n * sizeof(int));
  cudaMalloc(&d_sums, blocks * sizeof(int));
  cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  scan_blocks<<<blocks, kBlock>>>(d_in, d_out, d_sums, n);
  scan_sums<<<1, 32>>>(d_sums, blocks);
  add_sums<<<blocks, kBlock>>>(d_out, d_sums, n);
  cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
  cudaFree(d_sums);

  printf("%d blocks, total %d, expected %d\n", blocks, out.back(), want.back());
  return out == want ? 0 : 1;
}
