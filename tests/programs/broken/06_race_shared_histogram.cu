// Counting in shared memory with ++ and no atomic: increments get lost.
#include <cstdio>

__global__ void histogram(const unsigned char *data, int n, int *bins) {
  __shared__ int local[16];
  if (threadIdx.x < 16) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    local[data[i] % 16]++;
  __syncthreads();
  if (threadIdx.x < 16) bins[threadIdx.x] = local[threadIdx.x];
}

int main() {
  unsigned char h[512], *d;
  for (int i = 0; i < 512; i++) h[i] = i * 7;
  int bins[16], *d_bins;
  cudaMalloc(&d, sizeof h);
  cudaMalloc(&d_bins, sizeof bins);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  histogram<<<1, 128>>>(d, 512, d_bins);
  cudaMemcpy(bins, d_bins, sizeof bins, cudaMemcpyDeviceToHost);
  printf("%d\n", bins[3]);
  cudaFree(d);
  cudaFree(d_bins);
}
