// The tiled product without the barrier at the end of the loop: fast threads overwrite what slow ones still read.
#include <cstdio>
#define T 16
#define N 64

__global__ void product(const float *a, const float *b, float *c) {
  __shared__ float as[T][T], bs[T][T];
  int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
  float sum = 0;
  for (int k0 = 0; k0 < N; k0 += T) {
    as[threadIdx.y][threadIdx.x] = a[row * N + k0 + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * N + col];
    __syncthreads();
    for (int k = 0; k < T; k++)
      sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
  }
  c[row * N + col] = sum;
}

int main() {
  static float h[N * N];
  for (int i = 0; i < N * N; i++) h[i] = i % 3;
  float *a, *b, *c;
  cudaMalloc(&a, sizeof h);
  cudaMalloc(&b, sizeof h);
  cudaMalloc(&c, sizeof h);
  cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
  cudaMemcpy(b, h, sizeof h, cudaMemcpyHostToDevice);
  product<<<dim3(N / T, N / T), dim3(T, T)>>>(a, b, c);
  cudaMemcpy(h, c, sizeof h, cudaMemcpyDeviceToHost);
  printf("%f\n", h[0]);
  cudaFree(a); cudaFree(b); cudaFree(c);
}
