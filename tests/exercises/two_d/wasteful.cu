// expects: costly. Right within each block of 16 x 16, but lanes run down the columns.
__global__ void ramp(const int* in, int* out, int height, int width) {
  int row = blockIdx.y * blockDim.y + threadIdx.x;
  int col = blockIdx.x * blockDim.x + threadIdx.y;
  if (row < height && col < width)
    out[row * width + col] = in[row * width + col] + 100 * row + col;
}
