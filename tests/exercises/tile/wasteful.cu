// expects: costly. All seven from global memory.
__global__ void window_sums(const int* in, int* out, int n) {
  int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int j = i - kRadius; j <= i + kRadius; j++)
    if (j >= 0 && j < n) sum += in[j];
  out[i] = sum;
}
