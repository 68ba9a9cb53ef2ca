// expects: wrong. gridDim in the place of blockDim: blocks overlap, and the end is never reached.
__global__ void map(const float* in, float* out, int n) {
  int i = blockIdx.x * gridDim.x + threadIdx.x;
  out[i] = 2 * in[i] + 1;
}
