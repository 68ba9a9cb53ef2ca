// C = A * B: each block computes a tile of C and reads tiles of A and B through shared memory.
#include <cstdio>
#include <vector>

const int kTile = 16;

__global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float a_tile[kTile][kTile];
  __shared__ float b_tile[kTile][kTile];
  int row = blockIdx.y * kTile + threadIdx.y;
  int col = blockIdx.x * kTile + threadIdx.x;

  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += kTile) {
    a_tile[threadIdx.y][threadIdx.x] = a[row * n + k0 + threadIdx.x];
    b_tile[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < kTile; k++) sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

int main() {
  const int n = 64;  // a multiple of the tile
  const size_t bytes = n * n * sizeof(float);
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; i++) {
    a[i] = i % 5;
    b[i] = i % 3;
  }

  float *d_a, *d_b, *d_c;
  cudaMalloc(&d_a, bytes);
  cudaMalloc(&d_b, bytes);
  cudaMalloc(&d_c, bytes);
  cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice);
  multiply<<<dim3(n / kTile, n / kTile), dim3(kTile, kTile)>>>(d_a, d_b, d_c, n);
  cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost);
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);

  int wrong = 0;
  for (int row = 0; row < n; row++)
    for (int col = 0; col < n; col++) {
      float sum = 0;
      for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
      if (c[row * n + col] != sum) wrong++;
    }
  printf("%d of %d elements are wrong\n", wrong, n * n);
  return wrong != 0;
}
