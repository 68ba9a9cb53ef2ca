// expects: uninitialised. The three elements on either side are never loaded.
__global__ void window_sums(const int* in, int* out, int n) {
  __shared__ int tile[kThreads + 2 * kRadius];
  int i = blockIdx.x * kThreads + threadIdx.x;
  int t = threadIdx.x + kRadius;
  tile[t] = i < n ? in[i] : 0;
  __syncthreads();

  int sum = 0;
  for (int d = -kRadius; d <= kRadius; d++) sum += tile[t + d];  // HERE
  if (i < n) out[i] = sum;
}
