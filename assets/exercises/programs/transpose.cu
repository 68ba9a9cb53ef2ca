// A matrix of height x width becomes one of width x height: out[col][row] = in[row][col]. The kernel is right,
// and its lanes write far apart. Mend it with a tile in shared memory.
//
// arguments: height, width, data
// most sectors: height * width / 4
// most wavefronts: height * ceil(width / 32) + width * ceil(height / 32)
#include <cstdio>
#include <cstdlib>
#include <vector>

const int kTile = 32;

// === your part begins
// Blocks of 32 x 32 threads, one for each tile of `in`.
__global__ void transpose(const float* in, float* out, int height, int width) {
  int col = blockIdx.x * kTile + threadIdx.x;
  int row = blockIdx.y * kTile + threadIdx.y;
  if (row < height && col < width) out[col * height + row] = in[row * width + col];
}
// === your part ends

// Says which elements are wrong, three at most.
template <class T>
int report(const char* name, const std::vector<T>& found, const std::vector<T>& expected) {
  int wrong = 0;
  for (size_t i = 0; i < found.size(); i++)
    if (found[i] != expected[i] && wrong++ < 3)
      printf("%s[%zu] = %g, expected %g\n", name, i, double(found[i]), double(expected[i]));
  printf("%d of %zu elements are wrong\n", wrong, found.size());
  return wrong != 0;
}

// The same numbers for the same seed.
unsigned next(unsigned& random) { return random = random * 1664525u + 1013904223u; }

// program [height] [width] [seed]
int main(int argc, char** argv) {
  const int height = argc > 1 ? atoi(argv[1]) : 72, width = argc > 2 ? atoi(argv[2]) : 104;
  unsigned random = argc > 3 ? strtoul(argv[3], nullptr, 10) : 1;
  const int n = height * width;
  std::vector<float> in(n), out(n), expected(n);
  for (int row = 0; row < height; row++)
    for (int col = 0; col < width; col++)
      expected[col * height + row] = in[row * width + col] = next(random) >> 16;
  const size_t bytes = n * sizeof(float);
  float *d_in, *d_out;
  cudaMalloc(&d_in, bytes);
  cudaMalloc(&d_out, bytes);
  cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemset(d_out, 0xff, bytes);  // no number: nobody has written it yet
  dim3 grid((width + kTile - 1) / kTile, (height + kTile - 1) / kTile);
  transpose<<<grid, dim3(kTile, kTile)>>>(d_in, d_out, height, width);
  cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
  return report("out", out, expected);
}
