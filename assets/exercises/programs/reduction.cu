// sums[b] = the sum of the 256 elements of block b; the last block may have fewer. n is any number.
//
// arguments: n, data
// most sectors: ceil(n / 8) + ceil(n / 256)
// most wavefronts: 45 * ceil(n / 256)
// slack: 10 %
#include <cstdio>
#include <cstdlib>
#include <vector>

const int kThreads = 256;

// === your part begins
// Half of the threads add what the other half holds, then half of those, until one value is left.
__global__ void block_sums(const int* in, int* sums, int n) {
  __shared__ int s[kThreads];
  int tid = threadIdx.x;
  // Fill s, add up, and let one thread write the sum.
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
  const int n = argc > 1 ? atoi(argv[1]) : 5000;
  unsigned random = argc > 2 ? strtoul(argv[2], nullptr, 10) : 1;
  const int blocks = (n + kThreads - 1) / kThreads;
  std::vector<int> in(n), sums(blocks), expected(blocks);
  for (int i = 0; i < n; i++) {
    in[i] = 1 + (next(random) >> 24);
    expected[i / kThreads] += in[i];
  }
  int *d_in, *d_sums;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_sums, blocks * sizeof(int));
  cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(d_sums, 0xff, blocks * sizeof(int));  // -1: nobody has written it yet
  block_sums<<<blocks, kThreads>>>(d_in, d_sums, n);
  cudaMemcpy(sums.data(), d_sums, blocks * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_sums);
  return report("sums", sums, expected);
}
