// out[i] = the sum of in[i - 3] to in[i + 3]; beyond both ends the elements count as 0.
//
// arguments: n, data
// most sectors: 2 * ceil(n / 8) + 2 * (ceil(n / 256) - 1)
// most wavefronts: 66 * ceil(n / 256)
// slack: 15 %
#include <cstdio>
#include <cstdlib>
#include <vector>

const int kThreads = 256, kRadius = 3;

// === your part begins
// Each block reads what it needs into shared memory once: its own elements, and three more on either side.
__global__ void window_sums(const int* in, int* out, int n) {
  __shared__ int tile[kThreads + 2 * kRadius];
  int i = blockIdx.x * kThreads + threadIdx.x;
  // Who loads what? When may the tile be read?
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
  const int n = argc > 1 ? atoi(argv[1]) : 3000;
  unsigned random = argc > 2 ? strtoul(argv[2], nullptr, 10) : 1;
  std::vector<int> in(n), out(n), expected(n);
  for (int& value : in) value = 1 + (next(random) >> 24);
  for (int i = 0; i < n; i++)
    for (int j = i - kRadius; j <= i + kRadius; j++)
      if (j >= 0 && j < n) expected[i] += in[j];
  const size_t bytes = n * sizeof(int);
  int *d_in, *d_out;
  cudaMalloc(&d_in, bytes);
  cudaMalloc(&d_out, bytes);
  cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemset(d_out, 0xff, bytes);  // -1: nobody has written it yet
  window_sums<<<(n + kThreads - 1) / kThreads, kThreads>>>(d_in, d_out, n);
  cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
  return report("out", out, expected);
}
