// y[i] = a * x[i] + y[i] for each of n elements; n is any number.
//
// arguments: n, data
// most sectors: 3 * ceil(n / 8)
#include <cstdio>
#include <cstdlib>
#include <vector>

// === your part begins
// The last block has more threads than there are elements left.
__global__ void axpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // What may thread i do, and which threads may do it?
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

// program [elements] [seed]
int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 5003;
  unsigned random = argc > 2 ? strtoul(argv[2], nullptr, 10) : 1;
  const float a = 3;
  std::vector<float> x(n), y(n), expected(n);
  for (int i = 0; i < n; i++) {
    x[i] = 1 + (next(random) >> 25);
    y[i] = next(random) >> 24;
    expected[i] = a * x[i] + y[i];
  }
  const size_t bytes = n * sizeof(float);
  float *d_x, *d_y;
  cudaMalloc(&d_x, bytes);
  cudaMalloc(&d_y, bytes);
  cudaMemcpy(d_x, x.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(d_y, y.data(), bytes, cudaMemcpyHostToDevice);
  axpy<<<(n + 255) / 256, 256>>>(a, d_x, d_y, n);
  cudaMemcpy(y.data(), d_y, bytes, cudaMemcpyDeviceToHost);
  cudaFree(d_x);
  cudaFree(d_y);
  return report("y", y, expected);
}
