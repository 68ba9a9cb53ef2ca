// expects: costly. Four elements in a row for each thread: lanes stand 16 bytes apart.
__global__ void stencil(const int* in, int* out, int n) {
  int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int i = first; i < first + 4; i++)
    if (i < n) out[i] = in[max(i - 1, 0)] + in[i] + in[min(i + 1, n - 1)];
}
