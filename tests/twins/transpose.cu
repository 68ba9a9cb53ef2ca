// Hand-written CUDA twins of kernels/transpose: what a textbook would print. tests/registers.py compiles both and
// compares registers and shared bytes: the dialect must cost nothing. One namespace per rung.
namespace copy {
__global__ void transpose(const float* __restrict__ in, float* __restrict__ out, int n) {
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (row + j < n && col < n) out[(row + j) * n + col] = in[(row + j) * n + col];
}
}  // namespace copy

namespace naive {
__global__ void transpose(const float* __restrict__ in, float* __restrict__ out, int n) {
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (row + j < n && col < n) out[col * n + row + j] = in[(row + j) * n + col];
}
}  // namespace naive

template <int kPitch>
__device__ __forceinline__ void through_a_tile(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float tile[32][kPitch];
  int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (row + j < n && col < n) tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * n + col];
  __syncthreads();
  col = blockIdx.y * 32 + threadIdx.x;
  row = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (row + j < n && col < n) out[(row + j) * n + col] = tile[threadIdx.x][threadIdx.y + j];
}

namespace tiled {
__global__ void transpose(const float* __restrict__ in, float* __restrict__ out, int n) { through_a_tile<32>(in, out, n); }
}  // namespace tiled
namespace padded {
__global__ void transpose(const float* __restrict__ in, float* __restrict__ out, int n) { through_a_tile<33>(in, out, n); }
}  // namespace padded

namespace swizzled {
__global__ void transpose(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float tile[32][32];
  int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (row + j < n && col < n) tile[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)] = in[(row + j) * n + col];
  __syncthreads();
  col = blockIdx.y * 32 + threadIdx.x;
  row = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (row + j < n && col < n) out[(row + j) * n + col] = tile[threadIdx.x][(threadIdx.y + j) ^ threadIdx.x];
}
}  // namespace swizzled

namespace vectorized {
template <bool kAligned>
__device__ __forceinline__ float4 load4(const float* __restrict__ in, int row, int col, int n) {
  if (row >= n || col >= n) return make_float4(0, 0, 0, 0);
  if (kAligned) return reinterpret_cast<const float4*>(in)[(row * n + col) / 4];
  float x = in[row * n + col], y = 0, z = 0, w = 0;
  if (col + 1 < n) y = in[row * n + col + 1];
  if (col + 2 < n) z = in[row * n + col + 2];
  if (col + 3 < n) w = in[row * n + col + 3];
  return make_float4(x, y, z, w);
}
template <bool kAligned>
__device__ __forceinline__ void store4(float* __restrict__ out, int row, int col, int n, float4 v) {
  if (kAligned) {
    reinterpret_cast<float4*>(out)[(row * n + col) / 4] = v;
  } else {
    out[row * n + col] = v.x;
    if (col + 1 < n) out[row * n + col + 1] = v.y;
    if (col + 2 < n) out[row * n + col + 2] = v.z;
    if (col + 3 < n) out[row * n + col + 3] = v.w;
  }
}
template <bool kAligned>
__global__ void transpose(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float4 tile[64][16];
  const int u = threadIdx.x % 16, v = threadIdx.x / 16;
  float4 a[4];
  for (int j = 0; j < 4; ++j) a[j] = load4<kAligned>(in, blockIdx.y * 64 + 4 * v + j, blockIdx.x * 64 + 4 * u, n);
  tile[4 * u + 0][v ^ u] = make_float4(a[0].x, a[1].x, a[2].x, a[3].x);
  tile[4 * u + 1][v ^ u] = make_float4(a[0].y, a[1].y, a[2].y, a[3].y);
  tile[4 * u + 2][v ^ u] = make_float4(a[0].z, a[1].z, a[2].z, a[3].z);
  tile[4 * u + 3][v ^ u] = make_float4(a[0].w, a[1].w, a[2].w, a[3].w);
  __syncthreads();
  const int col = blockIdx.y * 64 + 4 * u;
  for (int r = v; r < 64; r += 16) {
    const int row = blockIdx.x * 64 + r;
    if (row < n && col < n) store4<kAligned>(out, row, col, n, tile[r][u ^ (r / 4)]);
  }
}
template __global__ void transpose<true>(const float*, float*, int);
template __global__ void transpose<false>(const float*, float*, int);
}  // namespace vectorized
