// expects: costly. Partners stand further apart in every round: bank conflicts.
__global__ void block_sums(const int* in, int* sums, int n) {
  __shared__ int s[kThreads];
  int tid = threadIdx.x;
  int i = blockIdx.x * kThreads + tid;
  s[tid] = i < n ? in[i] : 0;
  __syncthreads();

  for (int step = 1; step < kThreads; step *= 2) {
    int at = 2 * step * tid;
    if (at < kThreads) s[at] += s[at + step];
    __syncthreads();
  }
  if (tid == 0) sums[blockIdx.x] = s[0];
}
