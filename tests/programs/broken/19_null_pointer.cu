// The second allocation was forgotten.
#include <cstdio>

__global__ void copy(const int* from, int* to) {
  to[threadIdx.x] = from[threadIdx.x];
}

int main() {
  int h[32] = {0};
  int *from = nullptr, *to = nullptr;
  cudaMalloc(&from, sizeof h);
  cudaMemcpy(from, h, sizeof h, cudaMemcpyHostToDevice);
  copy<<<1, 32>>>(from, to);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(from);
}
