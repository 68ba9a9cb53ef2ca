// expects: costly. An atomic in global memory for each element.
__global__ void histogram(const int* values, int n, int* bins) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&bins[values[i]], 1);
}
