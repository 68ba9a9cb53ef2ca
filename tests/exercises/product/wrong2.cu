// expects: wrong. The tile of B is read by rows.
__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[kTile][kTile];
  __shared__ float b_tile[kTile][kTile];
  int row = blockIdx.y * kTile + threadIdx.y;
  int col = blockIdx.x * kTile + threadIdx.x;

  float sum = 0;
  for (int k0 = 0; k0 < k; k0 += kTile) {
    a_tile[threadIdx.y][threadIdx.x] = a[row * k + k0 + threadIdx.x];
    b_tile[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + col];
    __syncthreads();
    for (int i = 0; i < kTile; i++) sum += a_tile[threadIdx.y][i] * b_tile[threadIdx.x][i];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
