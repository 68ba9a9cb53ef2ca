// The sum of an array: each block adds up its part in shared memory, halving the number of threads each round.
#include <cstdio>
#include <vector>

const int kThreads = 256;

__global__ void sum(const int* in, int* block_sums, int n) {
  __shared__ int s[kThreads];
  int tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + tid;
  s[tid] = i < n ? in[i] : 0;
  __syncthreads();

  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (tid < half) s[tid] += s[tid + half];
    __syncthreads();
  }
  if (tid == 0) block_sums[blockIdx.x] = s[0];
}

int main() {
  const int n = 5000;
  const int blocks = (n + kThreads - 1) / kThreads;
  std::vector<int> in(n), block_sums(blocks);
  int expected = 0;
  for (int i = 0; i < n; i++) {
    in[i] = i % 10;
    expected += in[i];
  }

  int *d_in, *d_sums;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_sums, blocks * sizeof(int));
  cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  sum<<<blocks, kThreads>>>(d_in, d_sums, n);
  cudaMemcpy(block_sums.data(), d_sums, blocks * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_sums);

  int total = 0;
  for (int s : block_sums) total += s;
  printf("sum %d, expected %d\n", total, expected);
  return total != expected;
}
