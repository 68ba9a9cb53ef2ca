// Half of the threads wait for the other half, which never comes.
#include <stdio.h>

__global__ void half_sum(int *d) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = d[t];
  __syncthreads();
  if (t < 64) {
    s[t] += s[t + 64];
    __syncthreads();
  }
  d[t] = s[t];
}

int main() {
  int h[128], *d;
  for (int i = 0; i < 128; i++) h[i] = 1;
  cudaMalloc(&d, sizeof(h));
  cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
  half_sum<<<1, 128>>>(d);
  cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
  printf("%d\n", h[0]);
  cudaFree(d);
}
