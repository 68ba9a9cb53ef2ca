// The result stays on the device.
#include <stdio.h>

__global__ void square(float *out, const float *in, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = in[i] * in[i];
}

int main() {
  const int n = 64;
  float in[n], out[n] = {0}, *d_in, *d_out;
  for (int i = 0; i < n; i++) in[i] = i;
  cudaMalloc(&d_in, sizeof(in));
  cudaMalloc(&d_out, sizeof(out));
  cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);
  square<<<1, n>>>(d_out, d_in, n);
  cudaDeviceSynchronize();
  printf("out[5] = %f\n", out[5]);
  cudaFree(d_in);
  cudaFree(d_out);
}
