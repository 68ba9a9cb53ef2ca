// expects: costly. Every eighth thread does eight elements in a row; lanes stand 32 bytes apart.
__global__ void map(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 8 == 0)
    for (int k = 0; k < 8; k++) out[i + k] = 2 * in[i + k] + 1;
}
