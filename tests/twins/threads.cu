// Hand-written CUDA twins of kernels/threads; see transpose.cu.
namespace one_d {
__global__ void index(const float* __restrict__ in, float* __restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
}  // namespace one_d

namespace two_d {
__global__ void index(const float* __restrict__ in, float* __restrict__ out, int width, int height) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < height && col < width) out[row * width + col] = 2 * in[row * width + col];
}
}  // namespace two_d

namespace three_d {
__global__ void index(const float* __restrict__ in, float* __restrict__ out, int width, int height, int depth) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  const int slice = blockIdx.z * blockDim.z + threadIdx.z, i = (slice * height + row) * width + col;
  if (slice < depth && row < height && col < width) out[i] = 2 * in[i];
}
}  // namespace three_d

namespace grid_stride {
__global__ void index(const float* __restrict__ in, float* __restrict__ out, int n) {
  const int threads = gridDim.x * blockDim.x;
#pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) out[i] = 2 * in[i];
}
}  // namespace grid_stride
