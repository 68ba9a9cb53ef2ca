#include <stdio.h>

__global__ void k(int *a) {
  a[threadIdx.x] = 1
}

int main() {
  int *a;
  cudaMalloc(&a, 128);
  k<<<1, 32>>>(a);
  cudaFree(a);
}
