__global__ void k(const int *in, int *out, int n) {
  __shared__ int s[n];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[n - 1 - threadIdx.x];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 128);
  cudaMalloc(&out, 128);
  cudaMemset(in, 0, 128);
  k<<<1, 32>>>(in, out, 32);
  cudaFree(in);
  cudaFree(out);
}
