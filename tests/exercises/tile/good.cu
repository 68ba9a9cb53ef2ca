// expects: right
__global__ void window_sums(const int* in, int* out, int n) {
  __shared__ int tile[kThreads + 2 * kRadius];
  int i = blockIdx.x * kThreads + threadIdx.x;
  int t = threadIdx.x + kRadius;
  tile[t] = i < n ? in[i] : 0;
  if (threadIdx.x < kRadius) {
    tile[t - kRadius] = i >= kRadius ? in[i - kRadius] : 0;
    tile[t + kThreads] = i + kThreads < n ? in[i + kThreads] : 0;
  }
  __syncthreads();

  int sum = 0;
  for (int d = -kRadius; d <= kRadius; d++) sum += tile[t + d];
  if (i < n) out[i] = sum;
}
