// A matrix of 24 rows and 40 columns, whose rows are taken to be in the x direction.
#include <cstdio>
#define ROWS 24
#define COLS 40

__global__ void scale(float *m) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  m[row * COLS + col] *= 2.0f;
}

int main() {
  static float h[ROWS * COLS];
  float *m;
  cudaMalloc(&m, sizeof h);
  cudaMemcpy(m, h, sizeof h, cudaMemcpyHostToDevice);
  scale<<<dim3(COLS / 8, ROWS / 8), dim3(8, 8)>>>(m);
  cudaMemcpy(h, m, sizeof h, cudaMemcpyDeviceToHost);
  printf("%f\n", h[0]);
  cudaFree(m);
}
