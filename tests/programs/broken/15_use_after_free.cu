// Freed too early.
#include <stdio.h>

__global__ void increment(int *a) {
  a[threadIdx.x] += 1;
}

int main() {
  int h[32] = {0}, *a, *b;
  cudaMalloc(&a, sizeof(h));
  cudaMalloc(&b, sizeof(h));
  cudaMemcpy(a, h, sizeof(h), cudaMemcpyHostToDevice);
  cudaMemcpy(b, h, sizeof(h), cudaMemcpyHostToDevice);
  cudaFree(a);
  increment<<<1, 32>>>(a);
  cudaMemcpy(h, b, sizeof(h), cudaMemcpyDeviceToHost);
  printf("%d\n", h[0]);
  cudaFree(b);
}
