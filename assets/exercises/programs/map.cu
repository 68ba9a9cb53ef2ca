// out[i] = 2 * in[i] + 1 for each of n elements; n is a multiple of 256.
//
// arguments: n, data
// most sectors: n / 4
#include <cstdio>
#include <cstdlib>
#include <vector>

// === your part begins
// One thread for one element.
__global__ void map(const float* in, float* out, int n) {
  // Which element is this thread's, and what becomes of it?
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
  const int n = argc > 1 ? atoi(argv[1]) : 4096;
  unsigned random = argc > 2 ? strtoul(argv[2], nullptr, 10) : 1;
  std::vector<float> in(n), out(n), expected(n);
  for (int i = 0; i < n; i++) {
    in[i] = next(random) >> 24;
    expected[i] = 2 * in[i] + 1;
  }
  const size_t bytes = n * sizeof(float);
  float *d_in, *d_out;
  cudaMalloc(&d_in, bytes);
  cudaMalloc(&d_out, bytes);
  cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemset(d_out, 0xff, bytes);  // no number: nobody has written it yet
  map<<<n / 256, 256>>>(d_in, d_out, n);
  cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
  return report("out", out, expected);
}
