// The grid is rounded up and the kernel does not ask whether its element exists.
#include <cstdio>
#include <vector>

__global__ void add(const float* a, const float* b, float* c) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  c[i] = a[i] + b[i];
}

int main() {
  const int n = 1000;
  std::vector<float> h(n, 1.0f);
  float *a, *b, *c;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaMalloc(&c, n * 4);
  cudaMemcpy(a, h.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(b, h.data(), n * 4, cudaMemcpyHostToDevice);
  add<<<(n + 255) / 256, 256>>>(a, b, c);
  cudaMemcpy(h.data(), c, n * 4, cudaMemcpyDeviceToHost);
  printf("%.1f\n", h[n - 1]);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}
