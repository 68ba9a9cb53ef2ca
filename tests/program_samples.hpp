// A program with every construct that the rewriting knows, and texts near to it.
#pragma once
#include <random>
#include <string>
#include <string_view>

namespace lockstep::test {

inline constexpr std::string_view kManyConstructs = R"cuda(#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
#define HD __host__ __device__
#define CHECK(call) do { cudaError_t error = (call); if (error) printf("%s\n", #call); } while (0)
#define LAUNCH(kernel, n, ...) \
  kernel<<<((n) + 255) / 256, 256>>>(__VA_ARGS__)
#define TILE(T, name) __shared__ T name[32][33]
// lockstep: in[n][n]
constexpr int kMany = 1'000'000;
const char* kText = "k<<<1, 2>>>(\"x\")"; auto raw = R"x(<<< )" >>>)x";
__constant__ float weights[16];
static __device__ int counter = 0, others[4];
__device__ const float kTable[2] = {1.0f, 2.0f};
namespace { __global__ void hidden(float* a) { if (threadIdx.x == 0) a[0] = 1; } }
template <class T> struct Pair { T a, b; HD T sum() const { return a + b; } };
template <class T, int kBlock = 256>
__global__ void __launch_bounds__(kBlock) reduce(const T* __restrict__ in, T* out, int n) {
  __shared__ T partial[kBlock], total;
  volatile __shared__ Pair<T> pairs[4];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? in[i] : T(0);
  __syncthreads();
  for (int s = kBlock / 2; s > 0; s >>= 1) { if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s]; __syncthreads(); }
  if (threadIdx.x == 0) total = partial[0], out[blockIdx.x] = total, pairs[0].a = total;
}
extern "C" __global__ void dynamic(float* d, int n) {
  extern __shared__ float s[];
  TILE(float, tile);
  s[threadIdx.x] = tile[threadIdx.x % 32][0] = d[threadIdx.x] * weights[0] + kTable[1];
  __syncthreads();
  d[threadIdx.x] = s[n - 1 - threadIdx.x] + counter + others[0];
}
static __device__ __forceinline__ float twice(float x) { return 2 * x; }
__global__ void plain(float* d, int = 0, void* = nullptr) { d[threadIdx.x] = twice(d[threadIdx.x]); }
int main(int argc, char** argv) {
  float *d, *e;
  CHECK(cudaMalloc(&d, 1024 * sizeof(float)));
  cudaMalloc((void**)&e, 1024 * sizeof(float));
  dim3 grid(4), block = 256;
  reduce<<<grid, block>>>(d, e, 1024);
  reduce<float, 128><<<dim3(8, 1), dim3(128)>>>(d, e, 1024);
  dynamic<<<1, 256, 256 * sizeof(float), 0>>>(d, 256);
  hidden<<<1, 1>>>(e);
  LAUNCH(plain, 1024, d, 1, NULL);
  void (*table[1])(float*) = {hidden};
  table[0]<<<1, 32>>>(d);
  plain<< <1, 32>> >(d, 3, NULL);
  cudaFree(d), cudaFree(e);
  printf("%d %s\n", argc + kMany, argv[0]);
}
)cuda";

// Some bytes gone, doubled, moved or other ones.
inline std::string mutated(std::string text, std::mt19937& random) {
  static constexpr std::string_view kPieces[] = {
      "<<<",        ">>>",       "(",         ")",           "{",    "}",           "[",
      "]",          "\"",        "'",         "//",          "/*",   "*/",          "\\\n",
      "#",          "\n#if 1\n", "\n#else\n", "\n#endif\n",  "R\"(", "__shared__ ", "__global__ void ",
      "extern ",    ";",         ",",         "<",           ">",    "\r\n",        "\n#define X ",
      "template <", "::",        "main(",     "namespace {", "\xff"};
  for (int n = 1 + int(random() % 6); n > 0 && !text.empty(); --n) {
    const std::size_t at = random() % text.size(), size = random() % 40;
    switch (random() % 4) {
      case 0:
        text.erase(at, size);
        break;
      case 1:
        text.insert(at, kPieces[random() % std::size(kPieces)]);
        break;
      case 2:
        text.insert(random() % text.size(), text.substr(at, size));
        break;
      default:
        text[at] = char(random());
    }
  }
  return text;
}

}  // namespace lockstep::test
