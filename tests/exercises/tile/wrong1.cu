// expects: race. Nobody waits until the tile is full.
__global__ void window_sums(const int* in, int* out, int n) {
  __shared__ int tile[kThreads + 2 * kRadius];
  int i = blockIdx.x * kThreads + threadIdx.x;
  int t = threadIdx.x + kRadius;
  tile[t] = i < n ? in[i] : 0;  // HERE
  if (threadIdx.x < kRadius) {
    tile[t - kRadius] = i >= kRadius ? in[i - kRadius] : 0;             // HERE
    tile[t + kThreads] = i + kThreads < n ? in[i + kThreads] : 0;       // HERE
  }

  int sum = 0;
  for (int d = -kRadius; d <= kRadius; d++) sum += tile[t + d];  // HERE
  if (i < n) out[i] = sum;
}
