// The kernel gets memory of the host.
#include <stdio.h>
#include <stdlib.h>

__global__ void twice(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = 2 * a[i];
}

int main() {
  int n = 100;
  float *a = (float *)malloc(n * sizeof(float));
  for (int i = 0; i < n; i++) a[i] = i;
  twice<<<1, 128>>>(a, n);
  cudaDeviceSynchronize();
  printf("%f\n", a[9]);
  free(a);
}
