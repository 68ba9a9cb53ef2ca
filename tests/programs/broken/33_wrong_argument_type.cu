#include <vector>

__global__ void k(float *a) { a[threadIdx.x] = 0; }

int main() {
  std::vector<float> a(32);
  k<<<1, 32>>>(a);
  cudaDeviceSynchronize();
}
