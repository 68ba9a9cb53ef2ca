// expects: out_of_bounds. The mask of the way in is used for the way out.
__global__ void transpose(const float* in, float* out, int height, int width) {
  __shared__ float tile[kTile][kTile + 1];
  int col = blockIdx.x * kTile + threadIdx.x;
  int row = blockIdx.y * kTile + threadIdx.y;
  bool inside = row < height && col < width;
  if (inside) tile[threadIdx.y][threadIdx.x] = in[row * width + col];
  __syncthreads();

  col = blockIdx.x * kTile + threadIdx.y;
  row = blockIdx.y * kTile + threadIdx.x;
  if (inside) out[col * height + row] = tile[threadIdx.x][threadIdx.y];  // HERE
}
