// The last warp of a reduction trusts in lockstep: volatile in place of __syncwarp, as it was written before Volta.
#include <stdio.h>

__global__ void reduce(const int *in, int *out) {
  __shared__ volatile int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
  }
  if (t == 0) *out = s[0];
}

int main() {
  int h[64], *d, *d_out, out;
  for (int i = 0; i < 64; i++) h[i] = i;
  cudaMalloc(&d, sizeof(h));
  cudaMalloc(&d_out, sizeof(int));
  cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
  reduce<<<1, 64>>>(d, d_out);
  cudaMemcpy(&out, d_out, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", out);
  cudaFree(d);
  cudaFree(d_out);
}
