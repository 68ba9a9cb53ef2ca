// expects: out_of_bounds. The last block is not full.
__global__ void block_sums(const int* in, int* sums, int n) {
  __shared__ int s[kThreads];
  int tid = threadIdx.x;
  s[tid] = in[blockIdx.x * kThreads + tid];  // HERE
  __syncthreads();

  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (tid < half) s[tid] += s[tid + half];
    __syncthreads();
  }
  if (tid == 0) sums[blockIdx.x] = s[0];
}
