// Libraries that come with CUDA, as our own headers have them: programs that use them run and print what they
// should.
#include <doctest/doctest.h>

#include "app/platform/run_program.hpp"
#include "engine_support.hpp"

using namespace lockstep;

namespace {

// What `lockstep run` prints first: the program's own output.
std::string printed_by(std::string_view program, std::size_t lines) {
  static const test::TemporaryFolder folder;
  const std::filesystem::path file = folder / "program.cu";
  std::ofstream(file, std::ios::binary) << program;
  const auto ran =
      test::run_program({"run", file.string()}, {"env", "XDG_CACHE_HOME=" + folder.path().string()});
  INFO(ran.err);
  std::size_t end = 0;
  for (std::size_t i = 0; i < lines && end != ran.out.npos; ++i) end = ran.out.find('\n', end) + 1;
  return ran.out.substr(0, end);
}

bool without_clang() { return !program_on_path("clang++"); }

}  // namespace

TEST_CASE("Thrust, cuBLAS and cuRAND give the results of their documentation") {
  if (without_clang()) return;
  CHECK(printed_by(R"cuda(#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <cublas_v2.h>
#include <curand.h>
#include <curand_kernel.h>
#include <cstdio>
__global__ void add(float* d) { d[threadIdx.x] += 1; }
__global__ void rnd(float* d) { curandState s; curand_init(7, threadIdx.x, 0, &s); float a = 0; for (int i = 0; i < 100; ++i) a += curand_uniform(&s); d[threadIdx.x] = a / 100; }
int main() {
  thrust::device_vector<float> d(8), e(8);
  thrust::sequence(d.begin(), d.end());
  add<<<1, 8>>>(thrust::raw_pointer_cast(d.data()));
  cudaDeviceSynchronize();
  thrust::sort(d.begin(), d.end(), thrust::greater<float>());
  thrust::inclusive_scan(d.begin(), d.end(), e.begin());
  printf("%g %g %g\n", float(d[0]), float(e[7]), thrust::reduce(d.begin(), d.end(), 0.0f, thrust::plus<float>()));
  float *a, *b, *c, h[4] = {1, 2, 3, 4}, r[4], al = 1, be = 0;
  cudaMalloc(&a, 16); cudaMalloc(&b, 16); cudaMalloc(&c, 16);
  cudaMemcpy(a, h, 16, cudaMemcpyHostToDevice); cudaMemcpy(b, h, 16, cudaMemcpyHostToDevice);
  cublasHandle_t handle; cublasCreate(&handle);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &al, a, 2, b, 2, &be, c, 2);
  add<<<1, 4>>>(c);
  cudaMemcpy(r, c, 16, cudaMemcpyDeviceToHost);
  printf("%g %g %g %g\n", r[0], r[1], r[2], r[3]);   // 8 11 16 23
  cublasDestroy(handle);
  rnd<<<1, 4>>>(c); cudaMemcpy(r, c, 16, cudaMemcpyDeviceToHost);
  printf("%d\n", r[0] > 0.3f && r[0] < 0.7f && r[3] > 0.3f && r[3] < 0.7f && r[0] != r[3]);
  cudaFree(a); cudaFree(b); cudaFree(c);
}
)cuda",
                   3) == "8 36 36\n8 11 16 23\n1\n");
}

TEST_CASE("a texture is filtered between its elements and clamped at its edge") {
  if (without_clang()) return;
  CHECK(printed_by(R"cuda(#include <cstdio>
__global__ void k(cudaTextureObject_t t, float* d, int w, int h) { int x = threadIdx.x, y = threadIdx.y; d[y * w + x] = tex2D<float>(t, x + 1.0f, y + 0.5f); }
int main() { const int w = 8, h = 4; cudaChannelFormatDesc c = cudaCreateChannelDesc<float>(); cudaArray_t a; cudaMallocArray(&a, &c, w, h); float in[32], out[32]; for (int i = 0; i < 32; ++i) in[i] = i;
 cudaMemcpy2DToArray(a, 0, 0, in, w * 4, w * 4, h, cudaMemcpyHostToDevice);
 cudaResourceDesc r{}; r.resType = cudaResourceTypeArray; r.res.array.array = a; cudaTextureDesc td = {}; td.addressMode[0] = td.addressMode[1] = cudaAddressModeClamp; td.filterMode = cudaFilterModeLinear; td.readMode = cudaReadModeElementType; cudaTextureObject_t t = 0; cudaCreateTextureObject(&t, &r, &td, NULL);
 float* d; cudaMalloc(&d, 128); k<<<1, dim3(w, h)>>>(t, d, w, h); cudaMemcpy(out, d, 128, cudaMemcpyDeviceToHost); printf("%g %g %g\n", out[0], out[7], out[9]); cudaDestroyTextureObject(t); cudaFreeArray(a); cudaFree(d); }
)cuda",
                   1) == "0.5 7 9.5\n");
}

TEST_CASE("PTX instructions compute what their reference says") {
  if (without_clang()) return;
  CHECK(printed_by(R"cuda(#include <cstdio>
__device__ unsigned bfe(unsigned x) { unsigned r; asm("bfe.u32 %0, %1, 4, 8;" : "=r"(r) : "r"(x)); return r; }
__global__ void k(unsigned* d) { unsigned lane; asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane)); unsigned x = bfe(0xabcd), y; asm("{ .reg .pred p; setp.lt.u32 p, %1, 3; mov.u32 %0, 7; @p add.u32 %0, %0, 1; }" : "=r"(y) : "r"(lane)); d[threadIdx.x] = lane * 10000 + x * 10 + y; }
int main() { unsigned *d, h[64]; cudaMalloc(&d, 256); k<<<1, 64>>>(d); cudaMemcpy(h, d, 256, cudaMemcpyDeviceToHost); printf("%u %u %u\n", h[0], h[5], h[33]); cudaFree(d); }
)cuda",
                   1) == "1888 51887 11888\n");
}
