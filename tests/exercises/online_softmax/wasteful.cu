// expects: costly. Safe, with a pass of its own for m: the row is read three times.
__global__ void softmax(const float* in, float* out, int cols) {
  int lane = threadIdx.x;
  const float* row = in + blockIdx.x * cols;
  float m = -INFINITY, l = 0;
  for (int c = lane; c < cols; c += 32) m = fmaxf(m, row[c]);
  for (int distance = 16; distance > 0; distance /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, distance));
  for (int c = lane; c < cols; c += 32) l += expf(row[c] - m);
  for (int distance = 16; distance > 0; distance /= 2) l += __shfl_xor_sync(~0u, l, distance);
  for (int c = lane; c < cols; c += 32) out[blockIdx.x * cols + c] = expf(row[c] - m) / l;
}
