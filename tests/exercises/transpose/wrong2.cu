// expects: wrong. Each tile is turned around and stays where it was.
__global__ void transpose(const float* in, float* out, int height, int width) {
  __shared__ float tile[kTile][kTile + 1];
  int col = blockIdx.x * kTile + threadIdx.x;
  int row = blockIdx.y * kTile + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = row < height && col < width ? in[row * width + col] : 0;
  __syncthreads();

  if (row < height && col < width) out[row * width + col] = tile[threadIdx.x][threadIdx.y];
}
