// expects: race. The next tiles arrive while these are still read.
__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[kTile][kTile];
  __shared__ float b_tile[kTile][kTile];
  int row = blockIdx.y * kTile + threadIdx.y;
  int col = blockIdx.x * kTile + threadIdx.x;

  float sum = 0;
  for (int k0 = 0; k0 < k; k0 += kTile) {
    a_tile[threadIdx.y][threadIdx.x] = a[row * k + k0 + threadIdx.x];    // HERE
    b_tile[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + col];  // HERE
    __syncthreads();
    for (int i = 0; i < kTile; i++) sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];  // HERE
  }
  c[row * n + col] = sum;
}
