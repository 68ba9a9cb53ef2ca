// Every voxel of a small volume gets the sum of its coordinates' squares.
#include <cstdio>
#include <vector>

constexpr int NX = 20, NY = 12, NZ = 7;

__device__ int flat(int x, int y, int z) { return (z * NY + y) * NX + x; }

__global__ void fill(int* volume) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= NX || y >= NY || z >= NZ) return;
  volume[flat(x, y, z)] = x * x + y * y + z * z;
}

int main() {
  std::vector<int> host(NX * NY * NZ, -1);
  int* volume;
  cudaMalloc(&volume, host.size() * sizeof(int));
  dim3 block(8, 4, 4);
  dim3 grid((NX + 7) / 8, (NY + 3) / 4, (NZ + 3) / 4);
  fill<<<grid, block>>>(volume);
  cudaMemcpy(host.data(), volume, host.size() * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(volume);

  long sum = 0;
  for (int z = 0; z < NZ; ++z)
    for (int y = 0; y < NY; ++y)
      for (int x = 0; x < NX; ++x) {
        int got = host[(z * NY + y) * NX + x];
        if (got != x * x + y * y + z * z) {
          printf("voxel %d %d %d is %d\n", x, y, z, got);
          return 1;
        }
        sum += got;
      }
  printf("%d voxels, sum %ld\n", NX * NY * NZ, sum);
}
