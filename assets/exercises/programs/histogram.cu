// bins[v] = how often the value v occurs, for values from 0 to 63. The kernel is right, and each element costs
// an atomic in global memory. Let each block count for itself first.
//
// arguments: n, data
// most sectors: ceil(n / 8) + 64
// most wavefronts: 32
#include <cstdio>
#include <cstdlib>
#include <vector>

const int kBins = 64, kBlocks = 8, kThreads = 256;

// === your part begins
// bins is 0 everywhere before the launch.
__global__ void histogram(const int* values, int n, int* bins) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&bins[values[i]], 1);
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
  const int n = argc > 1 ? atoi(argv[1]) : 10000;
  unsigned random = argc > 2 ? strtoul(argv[2], nullptr, 10) : 1;
  std::vector<int> values(n), bins(kBins), expected(kBins);
  for (int& value : values) {
    value = next(random) >> 26;
    expected[value]++;
  }
  int *d_values, *d_bins;
  cudaMalloc(&d_values, n * sizeof(int));
  cudaMalloc(&d_bins, kBins * sizeof(int));
  cudaMemcpy(d_values, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(d_bins, 0, kBins * sizeof(int));
  histogram<<<kBlocks, kThreads>>>(d_values, n, d_bins);
  cudaMemcpy(bins.data(), d_bins, kBins * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d_values);
  cudaFree(d_bins);
  return report("bins", bins, expected);
}
