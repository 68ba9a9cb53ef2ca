#include <stdio.h>

__global__ void k(int *a) {
  for (int i = 0; i < 4; i++) {
    a[threadIdx.x] += i;
}

int main() {
  int *a;
  cudaMalloc(&a, 128);
  cudaMemset(a, 0, 128);
  k<<<1, 32>>>(a);
  cudaFree(a);
}
