// c = a + b for n elements, n any number, with blocks of a given number of threads.
//
// arguments: n, threads, data
// most sectors: 3 * ceil(n / 8)
#include <cstdio>
#include <cstdlib>
#include <vector>

// === your part begins
__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  // Which element is this thread's? Is there one?
}

// The arrays are on the device.
void add(const float* a, const float* b, float* c, int n, int threads) {
  int blocks = 0;  // how many are needed?
  if (blocks > 0) add_kernel<<<blocks, threads>>>(a, b, c, n);
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

// program [elements] [threads per block] [seed]
int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 98432, threads = argc > 2 ? atoi(argv[2]) : 256;
  unsigned random = argc > 3 ? strtoul(argv[3], nullptr, 10) : 1;
  std::vector<float> a(n), b(n), c(n), expected(n);
  for (int i = 0; i < n; i++) {
    a[i] = 1 + (next(random) >> 24);
    b[i] = 1 + (next(random) >> 24);
    expected[i] = a[i] + b[i];
  }
  const size_t bytes = n * sizeof(float);
  float *d_a, *d_b, *d_c;
  cudaMalloc(&d_a, bytes);
  cudaMalloc(&d_b, bytes);
  cudaMalloc(&d_c, bytes);
  cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemset(d_c, 0xff, bytes);  // no number: nobody has written it yet
  add(d_a, d_b, d_c, n, threads);
  cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost);
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
  return report("c", c, expected);
}
