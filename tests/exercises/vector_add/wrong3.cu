// expects: wrong. Each element twice the first: b is never read.
__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + a[i];
}

void add(const float* a, const float* b, float* c, int n, int threads) {
  int blocks = (n + threads - 1) / threads;
  if (blocks > 0) add_kernel<<<blocks, threads>>>(a, b, c, n);
}
