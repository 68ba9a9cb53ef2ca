// expects: wrong. The block is forgotten: all blocks write the first 256 elements.
__global__ void map(const float* in, float* out, int n) {
  int i = threadIdx.x;
  out[i] = 2 * in[i] + 1;
}
