// The softmax of each row: out = e^(x - m) / l, where m is the row's largest element and l the sum of all
// e^(x - m). One warp for each row, and the row is read twice: once for m and l together, once to write.
//
// arguments: rows, cols, data
// most sectors: 3 * rows * cols / 8
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

// === your part begins
// Blocks of 32 threads; lane i takes the columns i, i + 32, i + 64 ...
__global__ void softmax(const float* in, float* out, int cols) {
  int lane = threadIdx.x;
  const float* row = in + blockIdx.x * cols;
  float m = -INFINITY, l = 0;  // of the elements that this lane has seen so far
  // What becomes of l when a larger m turns up? How do 32 lanes agree on m and l?
}
// === your part ends

// Says which elements are wrong, three at most.
int report(const char* name, const std::vector<float>& found, const std::vector<float>& expected) {
  int wrong = 0;
  for (size_t i = 0; i < found.size(); i++)
    if (!(fabs(found[i] - expected[i]) <= 1e-5) && wrong++ < 3)
      printf("%s[%zu] = %g, expected %g\n", name, i, found[i], expected[i]);
  printf("%d of %zu elements are wrong\n", wrong, found.size());
  return wrong != 0;
}

// The same numbers for the same seed.
unsigned next(unsigned& random) { return random = random * 1664525u + 1013904223u; }

// program [rows] [columns] [seed]
int main(int argc, char** argv) {
  const int rows = argc > 1 ? atoi(argv[1]) : 12, cols = argc > 2 ? atoi(argv[2]) : 200;
  unsigned random = argc > 3 ? strtoul(argv[3], nullptr, 10) : 1;
  std::vector<float> in(rows * cols), out(rows * cols), expected(rows * cols);
  for (float& value : in) value = (next(random) >> 24) * 0.5f;
  for (int row = 0; row < rows; row++) {
    double largest = 0, sum = 0;
    for (int c = 0; c < cols; c++) largest = fmax(largest, in[row * cols + c]);
    for (int c = 0; c < cols; c++) sum += exp(in[row * cols + c] - largest);
    for (int c = 0; c < cols; c++) expected[row * cols + c] = exp(in[row * cols + c] - largest) / sum;
  }
  const size_t bytes = rows * cols * sizeof(float);
  float *d_in, *d_out;
  cudaMalloc(&d_in, bytes);
  cudaMalloc(&d_out, bytes);
  cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemset(d_out, 0xff, bytes);  // no number: nobody has written it yet
  softmax<<<rows, 32>>>(d_in, d_out, cols);
  cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
  return report("out", out, expected);
}
