// A float4 is read from an address that is no multiple of 16.
#include <cstdio>

__global__ void sum4(const float *in, float *out) {
  float4 v = *(const float4 *)(in + 1 + 4 * threadIdx.x);
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

int main() {
  float h[160], r[32], *in, *out;
  for (int i = 0; i < 160; i++) h[i] = i;
  cudaMalloc(&in, sizeof h);
  cudaMalloc(&out, sizeof r);
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  sum4<<<1, 32>>>(in, out);
  cudaMemcpy(r, out, sizeof r, cudaMemcpyDeviceToHost);
  printf("%f\n", r[0]);
  cudaFree(in);
  cudaFree(out);
}
