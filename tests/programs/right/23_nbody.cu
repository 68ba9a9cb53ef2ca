// n-body simulation: all pairs, tiles of bodies in shared memory, float4 = position and mass.
#include <cmath>
#include <cstdio>
#include <vector>

#define BLOCK 64
#define SOFTENING 0.01f

__device__ float3 interact(float4 me, float4 other, float3 a) {
  float3 r;
  r.x = other.x - me.x;
  r.y = other.y - me.y;
  r.z = other.z - me.z;
  float d2 = r.x * r.x + r.y * r.y + r.z * r.z + SOFTENING;
  float inv = rsqrtf(d2);
  float s = other.w * inv * inv * inv;
  a.x += r.x * s;
  a.y += r.y * s;
  a.z += r.z * s;
  return a;
}

__global__ void forces(const float4* bodies, float4* acceleration, int n) {
  __shared__ float4 tile[BLOCK];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  float4 me = bodies[i];
  float3 a = {0.0f, 0.0f, 0.0f};
  for (int t = 0; t < n / BLOCK; ++t) {
    tile[threadIdx.x] = bodies[t * BLOCK + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < BLOCK; ++j) a = interact(me, tile[j], a);
    __syncthreads();
  }
  acceleration[i] = make_float4(a.x, a.y, a.z, 0.0f);
}

__global__ void move(float4* bodies, float4* velocity, const float4* acceleration, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = velocity[i], p = bodies[i], a = acceleration[i];
  v.x += a.x * dt;
  v.y += a.y * dt;
  v.z += a.z * dt;
  p.x += v.x * dt;
  p.y += v.y * dt;
  p.z += v.z * dt;
  velocity[i] = v;
  bodies[i] = p;
}

int main() {
  const int n = 256;
  std::vector<float4> bodies(n);
  for (int i = 0; i < n; ++i)
    bodies[i] = make_float4(float(i % 7) - 3, float(i % 11) - 5, float(i % 13) - 6, 1.0f + float(i % 3));
  float4 *d_bodies, *d_velocity, *d_acceleration;
  cudaMalloc(&d_bodies, n * sizeof(float4));
  cudaMalloc(&d_velocity, n * sizeof(float4));
  cudaMalloc(&d_acceleration, n * sizeof(float4));
  cudaMemcpy(d_bodies, bodies.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
  cudaMemset(d_velocity, 0, n * sizeof(float4));
  for (int step = 0; step < 3; ++step) {
    forces<<<n / BLOCK, BLOCK>>>(d_bodies, d_acceleration, n);
    move<<<n / BLOCK, BLOCK>>>(d_bodies, d_velocity, d_acceleration, 0.001f);
  }
  std::vector<float4> velocity(n);
  cudaMemcpy(velocity.data(), d_velocity, n * sizeof(float4), cudaMemcpyDeviceToHost);
  cudaFree(d_bodies);
  cudaFree(d_velocity);
  cudaFree(d_acceleration);

  // Every force has its counterforce: the momentum stays zero.
  double px = 0, py = 0, pz = 0, speed = 0;
  for (int i = 0; i < n; ++i) {
    px += bodies[i].w * velocity[i].x;
    py += bodies[i].w * velocity[i].y;
    pz += bodies[i].w * velocity[i].z;
    speed = std::fmax(speed, std::sqrt(velocity[i].x * velocity[i].x + velocity[i].y * velocity[i].y));
  }
  bool still = std::fabs(px) < 1e-2 && std::fabs(py) < 1e-2 && std::fabs(pz) < 1e-2;
  printf("bodies move: %s\n", speed > 0.01 ? "yes" : "no");
  printf("momentum is kept: %s\n", still ? "yes" : "no");
  return still && speed > 0.01 ? 0 : 1;
}
