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

TEST_CASE("a product of cublasLt takes alpha and beta in the type that its description names") {
  if (without_clang()) return;
  CHECK(printed_by(R"cuda(#include <cublasLt.h>
#include <cuda_fp16.h>
#include <cstdio>
int main() {
  half h[4] = {1, 2, 3, 4}, r[4] = {}, *a, *c;
  cudaMalloc(&a, sizeof h); cudaMalloc(&c, sizeof h);
  cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice); cudaMemcpy(c, h, sizeof h, cudaMemcpyHostToDevice);
  cublasLtHandle_t handle; cublasLtCreate(&handle);
  cublasLtMatrixLayout_t m; cublasLtMatrixLayoutCreate(&m, CUDA_R_16F, 2, 2, 2);
  for (const cudaDataType scale : {CUDA_R_16F, CUDA_R_32F}) {
    cublasLtMatmulDesc_t d; cublasLtMatmulDescCreate(&d, scale == CUDA_R_16F ? CUBLAS_COMPUTE_16F : CUBLAS_COMPUTE_32F, scale);
    const half alpha = __float2half(2), beta = __float2half(0);
    const float alpha32 = 3, beta32 = 0;
    const bool small = scale == CUDA_R_16F;
    cublasLtMatmul(handle, d, small ? (const void*)&alpha : &alpha32, a, m, a, m, small ? (const void*)&beta : &beta32, c, m, c, m, nullptr, nullptr, 0, 0);
    cudaMemcpy(r, c, sizeof r, cudaMemcpyDeviceToHost);
    printf("%g %g %g %g\n", float(r[0]), float(r[1]), float(r[2]), float(r[3]));
    cublasLtMatmulDescDestroy(d);
  }
  cublasLtMatrixLayoutDestroy(m); cublasLtDestroy(handle); cudaFree(a); cudaFree(c);
}
)cuda",
                   2) == "14 20 30 44\n21 30 45 66\n");
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

TEST_CASE("a warp is parted by a condition and by a label, and each part adds up its own") {
  if (without_clang()) return;
  CHECK(printed_by(R"cuda(#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void part(const int* in, int* out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int x = in[threadIdx.x];
  auto alike = cg::binary_partition(tile, x & 1);
  const int sum = cg::reduce(alike, x, cg::plus<int>());
  if (alike.thread_rank() == 0) atomicAdd(&out[x & 1], sum), atomicAdd(&out[2 + (x & 1)], int(alike.size()));
  cg::sync(tile);
  auto same = cg::labeled_partition(tile, x % 3);
  if (same.thread_rank() == 0) atomicAdd(&out[4 + x % 3], int(same.size()));
}
int main() {
  int h[64], *in, *out;
  for (int i = 0; i < 64; ++i) h[i] = i;
  cudaMalloc(&in, sizeof h); cudaMalloc(&out, 7 * sizeof(int));
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice); cudaMemset(out, 0, 7 * sizeof(int));
  part<<<1, 64>>>(in, out);
  cudaMemcpy(h, out, 7 * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 7; ++i) printf("%d%c", h[i], i < 6 ? ' ' : '\n');
  cudaFree(in); cudaFree(out);
})cuda",
                   1) == "992 1024 32 32 22 21 21\n");
}

TEST_CASE("collectives and device algorithms of CUB agree with sums counted by hand") {
  if (without_clang()) return;
  CHECK(printed_by(R"cuda(#include <cub/cub.cuh>
#include <cstdio>
__global__ void block(const int* in, int* sum, int* scanned) {
  typedef cub::BlockReduce<int, 96> Reduce;
  typedef cub::BlockScan<int, 96> Scan;
  __shared__ union { typename Reduce::TempStorage reduce; typename Scan::TempStorage scan; } room;
  const int total = Reduce(room.reduce).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0) *sum = total;
  __syncthreads();
  int before;
  Scan(room.scan).ExclusiveSum(in[threadIdx.x], before);
  scanned[threadIdx.x] = before;
}
int main() {
  int h[96], *in, *out, *scanned, s;
  for (int i = 0; i < 96; ++i) h[i] = 96 - i;
  cudaMalloc(&in, sizeof h); cudaMalloc(&out, 4); cudaMalloc(&scanned, sizeof h);
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  block<<<1, 96>>>(in, out, scanned);
  cudaMemcpy(&s, out, 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(h, scanned, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d %d %d\n", s, h[0], h[95]);
  void* room = nullptr; size_t bytes = 0;
  cub::DeviceRadixSort::SortKeys(room, bytes, in, scanned, 96);
  cudaMalloc(&room, bytes);
  cub::DeviceRadixSort::SortKeys(room, bytes, in, scanned, 96);
  cub::DeviceReduce::Max(room, bytes, in, out, 96);
  cudaMemcpy(&s, out, 4, cudaMemcpyDeviceToHost); cudaMemcpy(h, scanned, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d %d %d\n", s, h[0], h[95]);
  cudaFree(room); cudaFree(in); cudaFree(out); cudaFree(scanned);
})cuda",
                   2) == "4656 0 4655\n96 1 96\n");
}

TEST_CASE("a Fourier transform and its inverse give the signal times its size, for any size") {
  if (without_clang()) return;
  CHECK(printed_by(R"cuda(#include <cufft.h>
#include <cmath>
#include <cstdio>
int main() {
  for (int n : {6, 7, 16}) {
    cufftComplex h[16], *d;
    for (int i = 0; i < n; ++i) h[i] = {float(i + 1), float(-i)};
    cudaMalloc(&d, n * sizeof *h); cudaMemcpy(d, h, n * sizeof *h, cudaMemcpyHostToDevice);
    cufftHandle plan;
    cufftPlan1d(&plan, n, CUFFT_C2C, 1);
    cufftExecC2C(plan, d, d, CUFFT_FORWARD);
    cudaMemcpy(h, d, n * sizeof *h, cudaMemcpyDeviceToHost);
    printf("%.3f ", h[0].x);
    cufftExecC2C(plan, d, d, CUFFT_INVERSE);
    cudaMemcpy(h, d, n * sizeof *h, cudaMemcpyDeviceToHost);
    float worst = 0;
    for (int i = 0; i < n; ++i) worst = fmaxf(worst, fabsf(h[i].x / n - (i + 1)) + fabsf(h[i].y / n + i));
    printf("%d\n", worst < 1e-4f);
    cufftDestroy(plan); cudaFree(d);
  }
})cuda",
                   3) == "21.000 1\n28.000 1\n136.000 1\n");
}

TEST_CASE("a warp's matrices multiply, and texture<> variables are fetched from what they are bound to") {
  if (without_clang()) return;
  CHECK(printed_by(R"cuda(#include <mma.h>
#include <cstdio>
using namespace nvcuda;
static texture<float, 1, cudaReadModeElementType> bound;
__global__ void fetched(float* d) { d[threadIdx.x] = tex1Dfetch(bound, 3 - threadIdx.x); }
__global__ void product(const half* a, const half* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 1.0f);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}
int main() {
  half h[256], *a, *b; float r[256], *c;
  cudaMalloc(&a, 512); cudaMalloc(&b, 512); cudaMalloc(&c, 1024);
  for (int i = 0; i < 256; ++i) h[i] = __float2half(float(i % 7));
  cudaMemcpy(a, h, 512, cudaMemcpyHostToDevice); cudaMemcpy(b, h, 512, cudaMemcpyHostToDevice);
  product<<<1, 32>>>(a, b, c);
  cudaMemcpy(r, c, 1024, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      float s = 1;
      for (int k = 0; k < 16; ++k) s += ((i * 16 + k) % 7) * ((j * 16 + k) % 7);
      wrong += s != r[i * 16 + j];
    }
  printf("%d\n", wrong);
  cudaBindTexture(nullptr, bound, c, 16);
  fetched<<<1, 4>>>((float*)a);
  cudaMemcpy(r + 4, a, 16, cudaMemcpyDeviceToHost);
  printf("%d %d\n", r[4] == r[3], r[7] == r[0]);
})cuda",
                   2) == "0\n1 1\n");
}

TEST_CASE("a launch inside a kernel has run when the launch after it begins, at any depth") {
  if (without_clang()) return;
  CHECK(printed_by(R"cuda(#include <cstdio>
__global__ void count(int* n, int level) {
  __shared__ int seen;
  if (threadIdx.x == 0) seen = level;
  __syncthreads();
  atomicAdd(n, seen + 1);
  if (threadIdx.x == 0 && level < 3) count<<<2, 64>>>(n, level + 1);
}
int main() {
  int* n;
  cudaMallocManaged(&n, 4);
  count<<<1, 64>>>(n, 0);
  cudaDeviceSynchronize();
  printf("%d\n", *n);
  cudaFree(n);
})cuda",
                   1) == "3136\n");
}

TEST_CASE("a file that a program writes by a relative path can be read again and is gone with the run") {
  if (without_clang()) return;
  CHECK(printed_by(R"cuda(#include <cstdio>
#include <fstream>
#include <string>
__global__ void k() {}
int main() {
  k<<<1, 1>>>();
  std::ofstream("lockstep-test-out.txt") << "kept\n";
  std::string word;
  std::ifstream("lockstep-test-out.txt") >> word;
  FILE* f = fopen("./lockstep-test-other.txt", "w");
  printf("%s %d\n", word.c_str(), f != nullptr);
  if (f) fclose(f);
})cuda",
                   1) == "kept 1\n");
  CHECK_FALSE(std::filesystem::exists("lockstep-test-out.txt"));
}

TEST_CASE("a constant that is named by a text is the constant of that name") {
  if (without_clang()) return;
  CHECK(printed_by(R"cuda(#include <cstdio>
__constant__ float table[2];
__global__ void k(float* d) { *d = table[1]; }
int main() {
  const float h[2] = {1, 6};
  float* d;
  cudaMallocManaged(&d, 4);
  const int good = cudaMemcpyToSymbol("table", h, sizeof h), bad = cudaMemcpyToSymbol("tables", h, sizeof h);
  k<<<1, 1>>>(d);
  cudaDeviceSynchronize();
  printf("%g %d %d\n", *d, good, bad);
  cudaFree(d);
})cuda",
                   1) == "6 0 13\n");
}
