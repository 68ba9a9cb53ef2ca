// expects: right
__global__ void row_sums(const int* in, int* out) {
  __shared__ int tile[32][33];
  int lane = threadIdx.x;
  const int* matrix = in + blockIdx.x * 32 * 32;
  for (int row = 0; row < 32; row++) tile[row][lane] = matrix[row * 32 + lane];
  __syncthreads();

  int sum = 0;
  for (int col = 0; col < 32; col++) sum += tile[lane][col];
  out[blockIdx.x * 32 + lane] = sum;
}
