#include <stdio.h>

__global__ void k(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N)
    a[i] = 0;
}

int main() {
  float *a;
  cudaMalloc(&a, 400);
  k<<<1, 128>>>(a, 100);
  cudaFree(a);
}
