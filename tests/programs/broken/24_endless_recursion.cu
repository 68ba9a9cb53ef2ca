// A device function without an end.
#include <cstdio>

__device__ __noinline__ int depth(volatile int *p, int n) {
  volatile int room[64];
  room[n % 64] = *p;
  return 1 + depth(p, n + 1) + room[n % 64];
}

__global__ void dive(int *p) { *p = depth(p, 0); }

int main() {
  int *p, h = 0;
  cudaMalloc(&p, sizeof(int));
  cudaMemset(p, 0, sizeof(int));
  dive<<<1, 32>>>(p);
  cudaMemcpy(&h, p, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", h);
  cudaFree(p);
}
