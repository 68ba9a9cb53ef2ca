// expects: race. No barrier between the rounds.
__global__ void block_sums(const int* in, int* sums, int n) {
  __shared__ int s[kThreads];
  int tid = threadIdx.x;
  int i = blockIdx.x * kThreads + tid;
  s[tid] = i < n ? in[i] : 0;
  __syncthreads();

  for (int half = kThreads / 2; half > 0; half /= 2)
    if (tid < half) s[tid] += s[tid + half];  // HERE
  if (tid == 0) sums[blockIdx.x] = s[0];
}
