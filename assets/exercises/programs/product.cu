// C = A * B, where A has m x k elements, B k x n and C m x n; m, n and k are multiples of 16.
//
// arguments: m, n, k, data
// most sectors: m * n * k / 64 + m * n / 8
// most wavefronts: 17 * m * n * k / 256
#include <cstdio>
#include <cstdlib>
#include <vector>

const int kTile = 16;

// === your part begins
// Blocks of 16 x 16 threads, one for each tile of C. Tiles of A and B pass through shared memory.
__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[kTile][kTile];
  __shared__ float b_tile[kTile][kTile];
  int row = blockIdx.y * kTile + threadIdx.y;
  int col = blockIdx.x * kTile + threadIdx.x;
  // k / 16 times: load two tiles, multiply them.
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

// program [m] [n] [k] [seed]
int main(int argc, char** argv) {
  const int m = argc > 1 ? atoi(argv[1]) : 48, n = argc > 2 ? atoi(argv[2]) : 32;
  const int k = argc > 3 ? atoi(argv[3]) : 64;
  unsigned random = argc > 4 ? strtoul(argv[4], nullptr, 10) : 1;
  std::vector<float> a(m * k), b(k * n), c(m * n), expected(m * n);
  for (float& value : a) value = next(random) >> 29;
  for (float& value : b) value = next(random) >> 29;
  for (int row = 0; row < m; row++)
    for (int col = 0; col < n; col++)
      for (int i = 0; i < k; i++) expected[row * n + col] += a[row * k + i] * b[i * n + col];

  float *d_a, *d_b, *d_c;
  cudaMalloc(&d_a, m * k * sizeof(float));
  cudaMalloc(&d_b, k * n * sizeof(float));
  cudaMalloc(&d_c, m * n * sizeof(float));
  cudaMemcpy(d_a, a.data(), m * k * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), k * n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(d_c, 0xff, m * n * sizeof(float));  // no number: nobody has written it yet
  multiply<<<dim3(n / kTile, m / kTile), dim3(kTile, kTile)>>>(d_a, d_b, d_c, m, n, k);
  cudaMemcpy(c.data(), d_c, m * n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
  return report("c", c, expected);
}
