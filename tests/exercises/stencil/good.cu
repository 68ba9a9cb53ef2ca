// expects: right
__global__ void stencil(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[max(i - 1, 0)] + in[i] + in[min(i + 1, n - 1)];
}
