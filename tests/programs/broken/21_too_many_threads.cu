// 32 x 64 threads are 2048: the launch fails, and nobody asks.
#include <stdio.h>

__global__ void index(int *a) { a[threadIdx.y * blockDim.x + threadIdx.x] = 1; }

int main() {
  static int h[2048];
  int *a, sum = 0;
  cudaMalloc(&a, sizeof(h));
  cudaMemset(a, 0, sizeof(h));
  dim3 block(32, 64);
  index<<<1, block>>>(a);
  cudaMemcpy(h, a, sizeof(h), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 2048; i++) sum += h[i];
  printf("%d\n", sum);
  cudaFree(a);
}
