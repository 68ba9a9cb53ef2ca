// What an H200's L1 does, kernel by kernel, for assets/recordings/h200/l1.json:
//   ncu --csv --page raw --clock-control none --metrics l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,
//     l1tex__m_xbar2l1tex_read_sectors.sum,lts__t_sectors_srcunit_tex_op_read.sum,
//     lts__t_sectors_srcunit_tex_op_write.sum l1_probe
#include <cstdio>

constexpr int kWords = 8192;  // 32 KB a block, a block an SM

#define EACH(i, n) for (int i = threadIdx.x; i < (n); i += blockDim.x)

// Each reads its words in the end, a line further on than it touched them before.
__device__ void read_all(const float* mine, float* sink) {
  float sum = 0;
  EACH(i, kWords) sum += mine[(i + 32) % kWords];
  if (sum == -1) *sink = sum;
}
__global__ void load_load(float* a, float* sink) {
  float *mine = a + blockIdx.x * kWords, sum = 0;
  EACH(i, kWords) sum += mine[i];
  __syncthreads();
  read_all(mine, sum == -1 ? a : sink);
}
__global__ void store_load(float* a, float* sink) {
  float* mine = a + blockIdx.x * kWords;
  EACH(i, kWords) mine[i] = i;
  __syncthreads();
  read_all(mine, sink);
}
__global__ void halves_load(float* a, float* sink) {  // two stores fill each sector
  float* mine = a + blockIdx.x * kWords;
  for (int half = 0; half < 2; ++half) {
    EACH(i, kWords / 2) mine[i / 4 * 8 + half * 4 + i % 4] = i;
    __syncthreads();
  }
  read_all(mine, sink);
}
__global__ void word_load(float* a, float* sink) {  // one word of each sector is stored, its neighbour read
  float *mine = a + blockIdx.x * kWords, sum = 0;
  EACH(i, kWords / 8) mine[i * 8] = i;
  __syncthreads();
  EACH(i, kWords / 8) sum += mine[(i * 8 + 257) % kWords];
  if (sum == -1) *sink = sum;
}
__global__ void load_store_load(float* a, float* sink) {
  float *mine = a + blockIdx.x * kWords, sum = 0;
  EACH(i, kWords) sum += mine[i];
  __syncthreads();
  EACH(i, kWords / 8) mine[i * 8] = sum;
  __syncthreads();
  read_all(mine, sink);
}
__global__ void load_atomic_load(float* a, float* sink) {
  float *mine = a + blockIdx.x * kWords, sum = 0;
  EACH(i, kWords) sum += mine[i];
  __syncthreads();
  EACH(i, kWords) atomicAdd(mine + i, 1.f);
  __syncthreads();
  read_all(mine, sum == -1 ? a : sink);
}

// swapped: x runs along rows, so that a warp's loads of A and its stores of C are not coalesced
__global__ void product(const float* a, const float* b, float* c, int n, bool swapped) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int row = swapped ? x : y, col = swapped ? y : x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}
__global__ void stencil(const float* a, float* c, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x == n - 1 || y == n - 1) return;
  c[y * n + x] = a[y * n + x] + a[y * n + x - 1] + a[y * n + x + 1] + a[(y - 1) * n + x] + a[(y + 1) * n + x];
}

int main() {
  float *a, *b, *c;
  cudaMalloc(&a, 64 << 20), cudaMalloc(&b, 64 << 20), cudaMalloc(&c, 64 << 20);
  cudaMemset(a, 0, 64 << 20), cudaMemset(b, 0, 64 << 20);
  for (auto kernel : {load_load, store_load, halves_load, word_load, load_store_load, load_atomic_load})
    kernel<<<132, 256>>>(a, c);
  const auto multiply = [&](int n, int bx, int by, bool swapped) {
    product<<<dim3(n / bx, n / by), dim3(bx, by)>>>(a, b, c, n, swapped);
  };
  multiply(1024, 16, 16, false), multiply(1024, 32, 32, false), multiply(1024, 32, 8, false);
  multiply(1024, 16, 16, true), multiply(1024, 32, 32, true);
  multiply(256, 16, 16, false), multiply(256, 32, 32, false);
  for (const dim3 block : {dim3(32, 8), dim3(16, 16), dim3(32, 32)})
    stencil<<<dim3(2048 / block.x, 2048 / block.y), block>>>(a, c, 2048);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
