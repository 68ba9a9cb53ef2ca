// Prefix sums within each block of 256 elements: out[i] = the sum of the block's elements up to in[i], in[i]
// included. The kernel has a race. Mend it.
//
// arguments: blocks, data
// most sectors: 64 * blocks
// most wavefronts: 201 * blocks
#include <cstdio>
#include <cstdlib>
#include <vector>

const int kThreads = 256;

// === your part begins
// In every round each thread adds what stands `distance` to its left.
__global__ void scan(const int* in, int* out) {
  __shared__ int s[kThreads];
  int tid = threadIdx.x;
  int i = blockIdx.x * kThreads + tid;
  s[tid] = in[i];
  __syncthreads();

  for (int distance = 1; distance < kThreads; distance *= 2) {
    if (tid >= distance) s[tid] += s[tid - distance];
    __syncthreads();
  }
  out[i] = s[tid];
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

// program [blocks] [seed]
int main(int argc, char** argv) {
  const int blocks = argc > 1 ? atoi(argv[1]) : 5;
  unsigned random = argc > 2 ? strtoul(argv[2], nullptr, 10) : 1;
  const int n = blocks * kThreads;
  std::vector<int> in(n), out(n), expected(n);
  for (int i = 0; i < n; i++) {
    in[i] = 1 + (next(random) >> 24);
    expected[i] = in[i] + (i % kThreads ? expected[i - 1] : 0);
  }
  const size_t bytes = n * sizeof(int);
  int *d_in, *d_out;
  cudaMalloc(&d_in, bytes);
  cudaMalloc(&d_out, bytes);
  cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemset(d_out, 0xff, bytes);  // -1: nobody has written it yet
  scan<<<blocks, kThreads>>>(d_in, d_out);
  cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
  return report("out", out, expected);
}
