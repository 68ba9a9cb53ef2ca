// Softmax of every row of a matrix, one block per row, numerically stable.
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void softmax(const float* in, float* out, int cols) {
  extern __shared__ float partial[];
  const float* row = in + blockIdx.x * cols;
  const int tid = threadIdx.x;

  float largest = -FLT_MAX;
  for (int c = tid; c < cols; c += blockDim.x) largest = fmaxf(largest, row[c]);
  partial[tid] = largest;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) partial[tid] = fmaxf(partial[tid], partial[tid + s]);
    __syncthreads();
  }
  largest = partial[0];
  __syncthreads();

  float sum = 0.0f;
  for (int c = tid; c < cols; c += blockDim.x) sum += expf(row[c] - largest);
  partial[tid] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (tid < s) partial[tid] += partial[tid + s];
    __syncthreads();
  }
  sum = partial[0];

  for (int c = tid; c < cols; c += blockDim.x) out[blockIdx.x * cols + c] = expf(row[c] - largest) / sum;
}

int main() {
  const int rows = 8, cols = 100, threads = 64;
  std::vector<float> in(rows * cols), out(rows * cols);
  for (int i = 0; i < rows * cols; ++i) in[i] = 0.125f * float((i * 29) % 64);
  float *d_in, *d_out;
  cudaMalloc(&d_in, in.size() * sizeof(float));
  cudaMalloc(&d_out, out.size() * sizeof(float));
  cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
  softmax<<<rows, threads, threads * sizeof(float)>>>(d_in, d_out, cols);
  cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);

  double worst = 0;
  for (int r = 0; r < rows; ++r) {
    double largest = -1e30, sum = 0;
    for (int c = 0; c < cols; ++c) largest = std::fmax(largest, in[r * cols + c]);
    for (int c = 0; c < cols; ++c) sum += std::exp(in[r * cols + c] - largest);
    for (int c = 0; c < cols; ++c)
      worst = std::fmax(worst, std::fabs(std::exp(in[r * cols + c] - largest) / sum - out[r * cols + c]));
  }
  float row_sum = 0;
  for (int c = 0; c < cols; ++c) row_sum += out[c];
  printf("first row sums to %.4f\n", row_sum);
  printf("%s\n", worst < 1e-6 ? "softmax is right" : "softmax is WRONG");
  return worst < 1e-6 ? 0 : 1;
}
