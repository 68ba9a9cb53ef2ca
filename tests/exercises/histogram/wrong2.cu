// expects: uninitialised. Shared memory does not begin as zeros.
__global__ void histogram(const int* values, int n, int* bins) {
  __shared__ int local[kBins];
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&local[values[i]], 1);  // HERE
  __syncthreads();

  if (threadIdx.x < kBins) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
