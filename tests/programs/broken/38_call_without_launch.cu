__global__ void k(int *a) { a[threadIdx.x] = 0; }

int main() {
  int *a;
  cudaMalloc(&a, 128);
  k(a);
  cudaFree(a);
}
