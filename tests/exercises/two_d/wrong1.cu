// expects: wrong. Rows along x, columns along y: the grid is too short on one side.
__global__ void ramp(const int* in, int* out, int height, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < height && col < width)
    out[row * width + col] = in[row * width + col] + 100 * row + col;
}
