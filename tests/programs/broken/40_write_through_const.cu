#include <cuda_runtime.h>
#include <stdio.h>

__global__ void k(const float *in, float *out) {
  in[threadIdx.x] = out[threadIdx.x];
}

int main() {
  float *a, *b;
  cudaMalloc(&a, 128);
  cudaMalloc(&b, 128);
  k<<<1, 32>>>(a, b);
  cudaFree(a);
  cudaFree(b);
}
