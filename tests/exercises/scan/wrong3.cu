// expects: divergent_barrier. The second barrier stands in the branch.
__global__ void scan(const int* in, int* out) {
  __shared__ int s[kThreads];
  int tid = threadIdx.x;
  int i = blockIdx.x * kThreads + tid;
  s[tid] = in[i];
  __syncthreads();

  for (int distance = 1; distance < kThreads; distance *= 2) {
    if (tid >= distance) {
      int left = s[tid - distance];
      __syncthreads();  // HERE
      s[tid] += left;
    }
    __syncthreads();  // HERE
  }
  out[i] = s[tid];
}
