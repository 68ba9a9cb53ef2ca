// Hand-written CUDA twins of kernels/coalescing; see transpose.cu.
__device__ __forceinline__ int thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

namespace strided {
__global__ void access(const float* __restrict__ in, float* __restrict__ out, int n, int stride, int offset) {
  const int i = thread();
  if (i < n) out[i] = in[offset + i * stride];
}
}  // namespace strided

namespace misaligned {
__global__ void access(const float* __restrict__ in, float* __restrict__ out, int n, int pitch) {
  const int i = thread();
  if (i < n) out[i] = in[i / 32 * pitch + i % 32];
}
}  // namespace misaligned

namespace aos {
__global__ void access(const float* __restrict__ in, float* __restrict__ out, int n, int fields, int read) {
  const int i = thread();
  if (i >= n) return;
  float sum = 0;
  for (int f = 0; f < read; ++f) sum += in[i * fields + f];
  out[i] = sum;
}
}  // namespace aos

namespace soa {
__global__ void access(const float* __restrict__ in, float* __restrict__ out, int n, int read) {
  const int i = thread();
  if (i >= n) return;
  float sum = 0;
  for (int f = 0; f < read; ++f) sum += in[f * n + i];
  out[i] = sum;
}
}  // namespace soa

namespace aosoa {
__global__ void access(const float* __restrict__ in, float* __restrict__ out, int n, int fields, int read) {
  const int i = thread();
  if (i >= n) return;
  float sum = 0;
  for (int f = 0; f < read; ++f) sum += in[(i / 32 * fields + f) * 32 + i % 32];
  out[i] = sum;
}
}  // namespace aosoa

namespace vector {
template <class V>
__global__ void access(const float* __restrict__ in, float* __restrict__ out, int n) {
  const int i = thread();
  if (i < n) reinterpret_cast<V*>(out)[i] = reinterpret_cast<const V*>(in)[i];
}
template __global__ void access<float>(const float*, float*, int);
template __global__ void access<float2>(const float*, float*, int);
template __global__ void access<float4>(const float*, float*, int);
}  // namespace vector

namespace packed {
struct Particle {
  float x, y, z, mass;
};
__global__ void access(const Particle* __restrict__ in, Particle* __restrict__ out, int n) {
  const int i = thread();
  if (i < n) out[i] = in[i];
}
}  // namespace packed

namespace aligned {
struct alignas(16) Particle {
  float x, y, z, mass;
};
__global__ void access(const Particle* __restrict__ in, Particle* __restrict__ out, int n) {
  const int i = thread();
  if (i < n) out[i] = in[i];
}
}  // namespace aligned

namespace gather {
__global__ void access(const float* __restrict__ in, float* __restrict__ out, const int* __restrict__ from, int n) {
  const int i = thread();
  if (i < n) out[i] = in[from[i]];
}
}  // namespace gather
