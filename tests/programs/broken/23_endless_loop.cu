// Waits for a flag that nobody sets.
#include <stdio.h>

__global__ void wait(volatile int *flag, int *out) {
  while (*flag == 0) {
  }
  *out = 1;
}

int main() {
  int *flag, *out, h = 0;
  cudaMalloc(&flag, sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemset(flag, 0, sizeof(int));
  wait<<<1, 1>>>(flag, out);
  cudaMemcpy(&h, out, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", h);
  cudaFree(flag);
  cudaFree(out);
}
