// Allocated in a loop, never freed.
#include <cstdio>

__global__ void set(int *a, int v) { a[threadIdx.x] = v; }

int main() {
  int sum = 0;
  for (int round = 0; round < 3; round++) {
    int *a, h[32];
    cudaMalloc(&a, sizeof h);
    set<<<1, 32>>>(a, round);
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    sum += h[0];
  }
  printf("%d\n", sum);
}
