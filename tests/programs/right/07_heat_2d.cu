#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

// Heat on a plate: the left edge is kept at 100 degrees, all others at 0.

__global__ void step(const float* __restrict__ now, float* __restrict__ next, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  int i = y * width + x;
  next[i] = 0.25f * (now[i - 1] + now[i + 1] + now[i - width] + now[i + width]);
}

int main() {
  const int width = 64, height = 48, steps = 20;
  std::vector<float> plate(width * height, 0.0f);
  for (int y = 0; y < height; ++y) plate[y * width] = 100.0f;

  float *now, *next;
  const size_t bytes = plate.size() * sizeof(float);
  cudaMalloc(&now, bytes);
  cudaMalloc(&next, bytes);
  cudaMemcpy(now, plate.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(next, plate.data(), bytes, cudaMemcpyHostToDevice);

  dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);
  for (int s = 0; s < steps; ++s) {
    step<<<grid, block>>>(now, next, width, height);
    std::swap(now, next);
  }
  std::vector<float> result(plate.size());
  cudaMemcpy(result.data(), now, bytes, cudaMemcpyDeviceToHost);
  cudaFree(now);
  cudaFree(next);

  std::vector<float> a = plate, b = plate;
  for (int s = 0; s < steps; ++s) {
    for (int y = 1; y < height - 1; ++y)
      for (int x = 1; x < width - 1; ++x) {
        int i = y * width + x;
        b[i] = 0.25f * (a[i - 1] + a[i + 1] + a[i - width] + a[i + width]);
      }
    std::swap(a, b);
  }
  float worst = 0;
  for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::fabs(a[i] - result[i]));
  printf("middle of the left side: %.3f %.3f %.3f\n", result[24 * width + 1], result[24 * width + 2],
         result[24 * width + 3]);
  printf("%s\n", worst < 1e-3f ? "same as on the CPU" : "differs from the CPU");
  return worst < 1e-3f ? 0 : 1;
}
