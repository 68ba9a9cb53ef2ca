#include <cstdio>
#include <cstdlib>

#define FULL_MASK 0xffffffff

__inline__ __device__ float warpReduceSum(float val) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2)
    val += __shfl_down_sync(FULL_MASK, val, offset);
  return val;
}

__inline__ __device__ float blockReduceSum(float val) {
  static __shared__ float shared[32];
  int lane = threadIdx.x % warpSize;
  int wid = threadIdx.x / warpSize;
  val = warpReduceSum(val);
  if (lane == 0) shared[wid] = val;
  __syncthreads();
  val = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : 0.0f;
  if (wid == 0) val = warpReduceSum(val);
  return val;
}

__global__ void dot(const float *x, const float *y, float *result, int n) {
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    sum += x[i] * y[i];
  sum = blockReduceSum(sum);
  if (threadIdx.x == 0) atomicAdd(result, sum);
}

int main() {
  const int n = 8192;
  float *x = (float *)malloc(n * sizeof(float));
  float *y = (float *)malloc(n * sizeof(float));
  float want = 0;
  for (int i = 0; i < n; ++i) {
    x[i] = float(i % 4);
    y[i] = 0.5f;
    want += x[i] * y[i];
  }
  float *d_x, *d_y, *d_result;
  cudaMalloc(&d_x, n * sizeof(float));
  cudaMalloc(&d_y, n * sizeof(float));
  cudaMalloc(&d_result, sizeof(float));
  cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_y, y, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(d_result, 0, sizeof(float));
  dot<<<16, 128>>>(d_x, d_y, d_result, n);
  float result;
  cudaMemcpy(&result, d_result, sizeof(float), cudaMemcpyDeviceToHost);
  // Halves add up exactly, in whatever order.
  printf("dot product %.1f (CPU: %.1f)\n", result, want);
  cudaFree(d_x); cudaFree(d_y); cudaFree(d_result);
  free(x); free(y);
  return result == want ? 0 : 1;
}
