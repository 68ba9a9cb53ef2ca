// Two names for one array, and each is freed.
#include <cstdio>

__global__ void zero(int *a) { a[threadIdx.x] = 0; }

int main() {
  int h[32], *a;
  cudaMalloc(&a, sizeof h);
  int *alias = a;
  zero<<<1, 32>>>(a);
  cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d\n", h[7]);
  cudaFree(a);
  cudaFree(alias);
}
