// expects: costly. Neighbouring lanes take elements that are gridDim apart.
__global__ void axpy(float a, const float* x, float* y, int n) {
  int i = threadIdx.x * gridDim.x + blockIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
