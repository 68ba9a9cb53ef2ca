// Nobody copies the input to the device.
#include <cstdio>

__global__ void twice(const int *in, int *out) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  out[i] = 2 * in[i];
}

int main() {
  int h_in[128], h_out[128], *in, *out;
  for (int i = 0; i < 128; i++) h_in[i] = i;
  cudaMalloc(&in, sizeof h_in);
  cudaMalloc(&out, sizeof h_out);
  twice<<<2, 64>>>(in, out);
  cudaMemcpy(h_out, out, sizeof h_out, cudaMemcpyDeviceToHost);
  printf("%d\n", h_out[3]);
  cudaFree(in);
  cudaFree(out);
}
