// expects: costly. Reads by rows, writes by columns.
__global__ void transpose(const float* in, float* out, int height, int width) {
  int col = blockIdx.x * kTile + threadIdx.x;
  int row = blockIdx.y * kTile + threadIdx.y;
  if (row < height && col < width) out[col * height + row] = in[row * width + col];
}
