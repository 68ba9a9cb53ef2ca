// expects: race. The value is kept, and nobody waits before writing.
__global__ void scan(const int* in, int* out) {
  __shared__ int s[kThreads];
  int tid = threadIdx.x;
  int i = blockIdx.x * kThreads + tid;
  s[tid] = in[i];
  __syncthreads();

  for (int distance = 1; distance < kThreads; distance *= 2) {
    int left = tid >= distance ? s[tid - distance] : 0;  // HERE
    s[tid] += left;                                      // HERE
    __syncthreads();
  }
  out[i] = s[tid];
}
