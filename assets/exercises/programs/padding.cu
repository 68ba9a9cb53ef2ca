// Row sums of many matrices of 32 x 32, one warp for each matrix. The kernel is right, and its reads of the
// tile collide in one bank. Mend it.
//
// arguments: matrices, data
// most sectors: 132 * matrices
// most wavefronts: 64 * matrices
#include <cstdio>
#include <cstdlib>
#include <vector>

// === your part begins
__global__ void row_sums(const int* in, int* out) {
  __shared__ int tile[32][32];
  int lane = threadIdx.x;
  const int* matrix = in + blockIdx.x * 32 * 32;
  for (int row = 0; row < 32; row++) tile[row][lane] = matrix[row * 32 + lane];
  __syncthreads();

  int sum = 0;
  for (int col = 0; col < 32; col++) sum += tile[lane][col];
  out[blockIdx.x * 32 + lane] = sum;
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

// program [matrices] [seed]
int main(int argc, char** argv) {
  const int matrices = argc > 1 ? atoi(argv[1]) : 6;
  unsigned random = argc > 2 ? strtoul(argv[2], nullptr, 10) : 1;
  const int n = matrices * 32 * 32;
  std::vector<int> in(n), out(matrices * 32), expected(matrices * 32);
  for (int i = 0; i < n; i++) {
    in[i] = 1 + (next(random) >> 24);
    expected[i / 32] += in[i];
  }
  int *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_out, matrices * 32 * sizeof(int));
  cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(d_out, 0xff, matrices * 32 * sizeof(int));  // -1: nobody has written it yet
  row_sums<<<matrices, 32>>>(d_in, d_out);
  cudaMemcpy(out.data(), d_out, matrices * 32 * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
  return report("out", out, expected);
}
