// All blocks count into one number in global memory, without an atomic.
#include <iostream>

__global__ void count_odd(const int* values, int n, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && values[i] % 2 == 1)
    *count = *count + 1;
}

int main() {
  const int n = 256;
  int h[n], *d, *d_count, count = 0;
  for (int i = 0; i < n; ++i) h[i] = i;
  cudaMalloc(&d, sizeof h);
  cudaMalloc(&d_count, sizeof(int));
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  cudaMemcpy(d_count, &count, sizeof(int), cudaMemcpyHostToDevice);
  count_odd<<<4, 64>>>(d, n, d_count);
  cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
  std::cout << count << std::endl;
  cudaFree(d);
  cudaFree(d_count);
}
