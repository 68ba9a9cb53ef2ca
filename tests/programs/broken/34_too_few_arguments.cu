__global__ void scale(float *a, float f, int n) {
  int i = threadIdx.x;
  if (i < n) a[i] *= f;
}

int main() {
  float *a;
  cudaMalloc(&a, 128);
  cudaMemset(a, 0, 128);
  scale<<<1, 32>>>(a, 2.0f);
  cudaFree(a);
}
