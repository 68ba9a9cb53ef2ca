// a*x + y in half precision, two values at a time.
#include <cuda_fp16.h>
#include <cstdio>
#include <cstdlib>

__global__ void to_half(const float *in, __half *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __float2half(in[i]);
}

__global__ void haxpy(int n2, float a, const __half2 *x, __half2 *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n2) y[i] = __hfma2(__float2half2_rn(a), x[i], y[i]);
}

__global__ void to_float(const __half *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __half2float(in[i]);
}

int main() {
  const int n = 1024, block = 128;
  float x[n], y[n], r[n];
  for (int i = 0; i < n; ++i) {
    x[i] = (i % 32) * 0.5f;
    y[i] = i % 10;
  }
  float *d_f;
  __half *d_x, *d_y;
  cudaMalloc(&d_f, n * sizeof(float));
  cudaMalloc(&d_x, n * sizeof(__half));
  cudaMalloc(&d_y, n * sizeof(__half));
  cudaMemcpy(d_f, x, sizeof(x), cudaMemcpyHostToDevice);
  to_half<<<n / block, block>>>(d_f, d_x, n);
  cudaMemcpy(d_f, y, sizeof(y), cudaMemcpyHostToDevice);
  to_half<<<n / block, block>>>(d_f, d_y, n);
  haxpy<<<n / 2 / block, block>>>(n / 2, 2.0f, (const __half2 *)d_x, (__half2 *)d_y);
  to_float<<<n / block, block>>>(d_y, d_f, n);
  cudaMemcpy(r, d_f, sizeof(r), cudaMemcpyDeviceToHost);
  cudaFree(d_f);
  cudaFree(d_x);
  cudaFree(d_y);
  for (int i = 0; i < n; ++i)
    if (r[i] != 2.0f * x[i] + y[i]) {
      printf("r[%d] = %f\n", i, r[i]);
      return EXIT_FAILURE;
    }
  printf("r[31] = %.1f, r[1023] = %.1f, size of a half: %d bytes\n", r[31], r[1023], (int)sizeof(__half));
  return EXIT_SUCCESS;
}
