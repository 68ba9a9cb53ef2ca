// expects: out_of_bounds. Nobody asks whether there is a neighbour.
__global__ void stencil(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i - 1] + in[i] + in[i + 1];  // HERE
}
