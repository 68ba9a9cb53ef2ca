// expects: right
__global__ void transpose(const float* in, float* out, int height, int width) {
  __shared__ float tile[kTile][kTile + 1];
  int col = blockIdx.x * kTile + threadIdx.x;
  int row = blockIdx.y * kTile + threadIdx.y;
  if (row < height && col < width) tile[threadIdx.y][threadIdx.x] = in[row * width + col];
  __syncthreads();

  col = blockIdx.x * kTile + threadIdx.y;
  row = blockIdx.y * kTile + threadIdx.x;
  if (row < height && col < width) out[col * height + row] = tile[threadIdx.x][threadIdx.y];
}
