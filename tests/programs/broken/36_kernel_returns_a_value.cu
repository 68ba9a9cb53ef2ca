#include <cstdio>

__global__ int sum(const int *a, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s += a[i];
  return s;
}

int main() {
  int *a;
  cudaMalloc(&a, 128);
  cudaMemset(a, 0, 128);
  sum<<<1, 1>>>(a, 32);
  cudaFree(a);
}
