// The pitch counts bytes; here it multiplies floats.
#include <cstdio>

__global__ void clear(float *m, size_t pitch, int width, int height) {
  int x = threadIdx.x, y = blockIdx.x;
  if (x < width && y < height)
    m[y * pitch + x] = 0.0f;
}

int main() {
  const int width = 20, height = 16;
  float *m, h[height * width];
  size_t pitch;
  cudaMallocPitch(&m, &pitch, width * sizeof(float), height);
  clear<<<height, 32>>>(m, pitch, width, height);
  cudaMemcpy2D(h, width * sizeof(float), m, pitch, width * sizeof(float), 1, cudaMemcpyDeviceToHost);
  printf("%f\n", h[0]);
  cudaFree(m);
}
