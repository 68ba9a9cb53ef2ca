#include <cmath>
#include <cstdio>
#include <vector>

// Cross products and lengths of float3 vectors, with operators of our own.

__host__ __device__ inline float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__host__ __device__ inline float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__host__ __device__ inline float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

struct Triangle { float3 a, b, c; };

__global__ void areas(const Triangle *triangles, float *area, float3 *normal, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) {
    Triangle t = triangles[i];
    float3 v = cross(t.b - t.a, t.c - t.a);
    area[i] = 0.5f * sqrtf(dot(v, v));
    normal[i] = v;
  }
}

int main() {
  const int n = 150;
  std::vector<Triangle> triangles(n);
  for (int i = 0; i < n; i++) {
    float f = i;
    triangles[i] = {{f, 0, 0}, {f + 3, 0, 0}, {f, float(i % 4) + 1, 0}};
  }
  Triangle *d_t;
  float *d_area;
  float3 *d_normal;
  cudaMalloc(&d_t, n * sizeof(Triangle));
  cudaMalloc(&d_area, n * sizeof(float));
  cudaMalloc(&d_normal, n * sizeof(float3));
  cudaMemcpy(d_t, triangles.data(), n * sizeof(Triangle), cudaMemcpyHostToDevice);
  areas<<<(n + 63) / 64, 64>>>(d_t, d_area, d_normal, n);
  std::vector<float> area(n);
  std::vector<float3> normal(n);
  cudaMemcpy(area.data(), d_area, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(normal.data(), d_normal, n * sizeof(float3), cudaMemcpyDeviceToHost);
  cudaFree(d_t);
  cudaFree(d_area);
  cudaFree(d_normal);

  float total = 0;
  for (int i = 0; i < n; i++) {
    float want = 1.5f * (i % 4 + 1);
    if (area[i] != want || normal[i].z != 2 * want || normal[i].x != 0) {
      printf("triangle %d has area %f\n", i, area[i]);
      return 1;
    }
    total += area[i];
  }
  printf("total area %.1f\n", total);
  return 0;
}
