// The halo on the right is never filled.
#include <stdio.h>

__global__ void differences(const int *in, int *out) {
  __shared__ int s[65];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t] = in[i];
  __syncthreads();
  out[i] = s[t + 1] - s[t];
}

int main() {
  int h[128], *in, *out;
  for (int i = 0; i < 128; i++) h[i] = i * i;
  cudaMalloc(&in, sizeof(h));
  cudaMalloc(&out, sizeof(h));
  cudaMemcpy(in, h, sizeof(h), cudaMemcpyHostToDevice);
  differences<<<2, 64>>>(in, out);
  cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost);
  printf("%d\n", h[10]);
  cudaFree(in);
  cudaFree(out);
}
