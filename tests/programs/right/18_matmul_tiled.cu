// Tiled product of two square matrices, any size.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TILE_WIDTH 16

__global__ void matmul(const float* M, const float* N, float* P, int width) {
  __shared__ float Mds[TILE_WIDTH][TILE_WIDTH];
  __shared__ float Nds[TILE_WIDTH][TILE_WIDTH];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE_WIDTH + ty;
  const int col = blockIdx.x * TILE_WIDTH + tx;

  float sum = 0;
  for (int phase = 0; phase < (width + TILE_WIDTH - 1) / TILE_WIDTH; ++phase) {
    const int m_col = phase * TILE_WIDTH + tx, n_row = phase * TILE_WIDTH + ty;
    Mds[ty][tx] = row < width && m_col < width ? M[row * width + m_col] : 0.0f;
    Nds[ty][tx] = n_row < width && col < width ? N[n_row * width + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE_WIDTH; ++k) sum += Mds[ty][k] * Nds[k][tx];
    __syncthreads();
  }
  if (row < width && col < width) P[row * width + col] = sum;
}

int main() {
  bool all_right = true;
  for (int width : {16, 40, 64}) {
    const size_t count = size_t(width) * width;
    std::vector<float> m(count), n(count), p(count);
    for (size_t i = 0; i < count; ++i) {
      m[i] = float(int(i * 3 % 11) - 5);
      n[i] = float(int(i * 5 % 7) - 3);
    }
    float *d_m, *d_n, *d_p;
    cudaMalloc(&d_m, count * sizeof(float));
    cudaMalloc(&d_n, count * sizeof(float));
    cudaMalloc(&d_p, count * sizeof(float));
    cudaMemcpy(d_m, m.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_n, n.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    const int tiles = (width + TILE_WIDTH - 1) / TILE_WIDTH;
    matmul<<<dim3(tiles, tiles), dim3(TILE_WIDTH, TILE_WIDTH)>>>(d_m, d_n, d_p, width);
    cudaMemcpy(p.data(), d_p, count * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_m);
    cudaFree(d_n);
    cudaFree(d_p);

    int wrong = 0;
    for (int r = 0; r < width; ++r)
      for (int c = 0; c < width; ++c) {
        float sum = 0;
        for (int k = 0; k < width; ++k) sum += m[r * width + k] * n[k * width + c];
        wrong += sum != p[r * width + c];
      }
    printf("width %d: last element %g, %d wrong\n", width, p.back(), wrong);
    all_right = all_right && wrong == 0;
  }
  return all_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
