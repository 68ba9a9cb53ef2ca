// A matrix of height x width, row after row in memory: out = in + 100 * row + column, at each place.
//
// arguments: height, width, data
// most sectors: height * width / 4
#include <cstdio>
#include <cstdlib>
#include <vector>

// === your part begins
// Blocks of 16 x 16 threads; those at the right and lower edge stand out over the matrix.
__global__ void ramp(const int* in, int* out, int height, int width) {
  // Which row and which column are this thread's?
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
  const int height = argc > 1 ? atoi(argv[1]) : 50, width = argc > 2 ? atoi(argv[2]) : 72;
  unsigned random = argc > 3 ? strtoul(argv[3], nullptr, 10) : 1;
  const int n = height * width;
  std::vector<int> in(n), out(n), expected(n);
  for (int i = 0; i < n; i++) {
    in[i] = next(random) >> 24;
    expected[i] = in[i] + 100 * (i / width) + i % width;
  }
  const size_t bytes = n * sizeof(int);
  int *d_in, *d_out;
  cudaMalloc(&d_in, bytes);
  cudaMalloc(&d_out, bytes);
  cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemset(d_out, 0xff, bytes);  // -1: nobody has written it yet
  ramp<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(d_in, d_out, height, width);
  cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
  return report("out", out, expected);
}
