// How often does each value occur? Each block counts in shared memory and adds its counts at the end.
#include <cstdio>
#include <vector>

const int kBins = 16;

__global__ void histogram(const unsigned char* values, int n, int* bins) {
  __shared__ int local[kBins];
  if (threadIdx.x < kBins) local[threadIdx.x] = 0;
  __syncthreads();

  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&local[values[i] % kBins], 1);
  __syncthreads();

  if (threadIdx.x < kBins) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main() {
  const int n = 10000;
  std::vector<unsigned char> values(n);
  std::vector<int> bins(kBins), expected(kBins);
  unsigned int random = 1;
  for (int i = 0; i < n; i++) {
    random = random * 1664525u + 1013904223u;
    values[i] = random >> 24;
    expected[values[i] % kBins]++;
  }

  unsigned char* d_values;
  int* d_bins;
  cudaMalloc(&d_values, n);
  cudaMalloc(&d_bins, kBins * sizeof(int));
  cudaMemcpy(d_values, values.data(), n, cudaMemcpyHostToDevice);
  cudaMemset(d_bins, 0, kBins * sizeof(int));
  histogram<<<8, 128>>>(d_values, n, d_bins);
  cudaMemcpy(bins.data(), d_bins, kBins * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d_values);
  cudaFree(d_bins);

  for (int b = 0; b < kBins; b++) printf("%2d: %d\n", b, bins[b]);
  return bins != expected;
}
