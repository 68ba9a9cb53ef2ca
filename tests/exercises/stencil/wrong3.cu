// expects: race. Each thread adds its element to its neighbours' sums.
__global__ void stencil(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = in[i];                   // HERE
  out[max(i - 1, 0)] += in[i];      // HERE
  out[min(i + 1, n - 1)] += in[i];  // HERE
}
