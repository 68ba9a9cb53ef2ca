// <= in place of <: thread 100 writes one element too far.
#include <stdio.h>

__global__ void fill(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    a[i] = i;
}

int main() {
  const int n = 100;
  int *d, h[n];
  cudaMalloc(&d, n * sizeof(int));
  fill<<<4, 32>>>(d, n);
  cudaMemcpy(h, d, n * sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", h[99]);
  cudaFree(d);
}
