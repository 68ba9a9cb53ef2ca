// A fixed number of blocks walks over an array of any length.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void scale(double* data, long n, double factor) {
  const long stride = (long)gridDim.x * blockDim.x;
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += stride) data[i] *= factor;
}

static bool run(long n) {
  double* host = new double[n];
  for (long i = 0; i < n; ++i) host[i] = double(i % 100);
  double* device = nullptr;
  cudaMalloc(&device, n * sizeof(double));
  cudaMemcpy(device, host, n * sizeof(double), cudaMemcpyHostToDevice);
  scale<<<4, 64>>>(device, n, 0.5);
  cudaMemcpy(host, device, n * sizeof(double), cudaMemcpyDeviceToHost);
  cudaFree(device);
  double sum = 0;
  bool right = true;
  for (long i = 0; i < n; ++i) {
    sum += host[i];
    right = right && host[i] == 0.5 * double(i % 100);
  }
  delete[] host;
  printf("n = %5ld: sum %.1f %s\n", n, sum, right ? "ok" : "WRONG");
  return right;
}

int main() {
  bool right = true;
  const long sizes[] = {1, 33, 256, 1000, 5000};
  for (long n : sizes) right &= run(n);
  return right ? 0 : 1;
}
