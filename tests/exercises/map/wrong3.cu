// expects: out_of_bounds. One too far.
__global__ void map(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  out[i] = 2 * in[i] + 1;  // HERE
}
