// expects: right
__global__ void ramp(const int* in, int* out, int height, int width) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < height && col < width)
    out[row * width + col] = in[row * width + col] + 100 * row + col;
}
