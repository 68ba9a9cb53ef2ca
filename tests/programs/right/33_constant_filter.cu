// Convolution with a filter in constant memory; borders count as zero.
#include <cstdio>
#include <cstdlib>

#define MASK_WIDTH 5
__constant__ float M[MASK_WIDTH];

__global__ void convolution_1D(const float *N, float *P, int Width) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i >= Width) return;
  float Pvalue = 0;
  int start = i - (MASK_WIDTH/2);
  for (int j = 0; j < MASK_WIDTH; j++)
    if (start + j >= 0 && start + j < Width)
      Pvalue += N[start + j]*M[j];
  P[i] = Pvalue;
}

int main() {
  const int width = 300;
  const float mask[MASK_WIDTH] = {0.25f, 0.5f, 1.0f, 0.5f, 0.25f};
  float *n = new float[width], *p = new float[width];
  for (int i = 0; i < width; ++i) n[i] = float(i % 16);

  float *d_n, *d_p;
  cudaMalloc(&d_n, width*sizeof(float));
  cudaMalloc(&d_p, width*sizeof(float));
  cudaMemcpy(d_n, n, width*sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(M, mask, MASK_WIDTH*sizeof(float));
  convolution_1D<<<(width + 95)/96, 96>>>(d_n, d_p, width);
  cudaMemcpy(p, d_p, width*sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_n);
  cudaFree(d_p);

  int wrong = 0;
  for (int i = 0; i < width; ++i) {
    float want = 0;
    for (int j = -2; j <= 2; ++j)
      if (i + j >= 0 && i + j < width) want += n[i + j]*mask[j + 2];
    if (want != p[i]) ++wrong;
  }
  printf("p[0] = %.2f p[8] = %.2f p[299] = %.2f, %d wrong\n", p[0], p[8], p[299], wrong);
  delete[] n;
  delete[] p;
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
