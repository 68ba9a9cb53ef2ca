// expects: right
__global__ void softmax(const float* in, float* out, int cols) {
  int lane = threadIdx.x;
  const float* row = in + blockIdx.x * cols;
  float m = -INFINITY, l = 0;
  for (int c = lane; c < cols; c += 32) {
    float x = row[c], larger = fmaxf(m, x);
    l = l * expf(m - larger) + expf(x - larger);
    m = larger;
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    float other_m = __shfl_xor_sync(~0u, m, distance);
    float other_l = __shfl_xor_sync(~0u, l, distance);
    float larger = fmaxf(m, other_m);
    l = l * expf(m - larger) + other_l * expf(other_m - larger);
    m = larger;
  }
  for (int c = lane; c < cols; c += 32) out[blockIdx.x * cols + c] = expf(row[c] - m) / l;
}
