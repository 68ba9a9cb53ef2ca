// out = in turned around its diagonal. The kernel below is the simplest one: its lanes read neighbours and write
// far apart. Try a tile in shared memory, and then a column of padding.
#include <cstdio>
#include <vector>

const int kTile = 32;

__global__ void transpose(const float* in, float* out, int n) {
  int col = blockIdx.x * kTile + threadIdx.x;
  int row = blockIdx.y * kTile + threadIdx.y;
  if (row < n && col < n) out[col * n + row] = in[row * n + col];
}

int main() {
  const int n = 128;
  const size_t bytes = n * n * sizeof(float);
  std::vector<float> in(n * n), out(n * n);
  for (int i = 0; i < n * n; i++) in[i] = i;

  float *d_in, *d_out;
  cudaMalloc(&d_in, bytes);
  cudaMalloc(&d_out, bytes);
  cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice);
  int tiles = (n + kTile - 1) / kTile;
  transpose<<<dim3(tiles, tiles), dim3(kTile, kTile)>>>(d_in, d_out, n);
  cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);

  int wrong = 0;
  for (int row = 0; row < n; row++)
    for (int col = 0; col < n; col++)
      if (out[col * n + row] != in[row * n + col]) wrong++;
  printf("%d of %d elements are wrong\n", wrong, n * n);
  return wrong != 0;
}
