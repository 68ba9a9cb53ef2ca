// Runs the kernels of bulk_kernels.cuh on a GPU of compute capability 9.0 and prints what the emulator's test holds
// against itself: nvcc -std=c++20 -arch=sm_90a -O3 -I. tests/gpu/bulk.cu -o bulk && ./bulk
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "tests/bulk_cases.hpp"
#include "tests/bulk_kernels.cuh"

using namespace bulk_test;

namespace {

void ok(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

template <class T>
T* on_gpu(const std::vector<T>& data) {
  T* p = nullptr;
  ok(cudaMalloc(&p, data.size() * sizeof(T)), "cudaMalloc");
  ok(cudaMemcpy(p, data.data(), data.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  return p;
}

void print_landings() {
  for (const Landing& l : landings()) {
    const auto matrix = numbered(l);
    std::vector<std::uint32_t> words(std::size_t(l.box_rows) * 32);
    auto* a = on_gpu(matrix);
    auto* out = on_gpu(words);
    ok(cudaFuncSetAttribute(land<lab::Clean>, cudaFuncAttributeMaxDynamicSharedMemorySize, 128 * 128), "attribute");
    land<lab::Clean><<<1, 128, 128 * 128>>>(lab::boxes<const lab::bf16>(a, l.rows, l.cols, l.box_rows), out, l.box_rows,
                                            l.row, l.col);
    ok(cudaMemcpy(words.data(), out, words.size() * 4, cudaMemcpyDeviceToHost), "land");
    std::printf("land %d %d %d %d %d %016llx\n", l.rows, l.cols, l.box_rows, l.row, l.col,
                static_cast<unsigned long long>(hash_of(words)));
    cudaFree(a), cudaFree(out);
  }
}

std::vector<std::uint16_t> random_bf16(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint16_t> all(count);
  for (auto& x : all) {
    const float f = float(random() >> 8) * 0x1p-23f - 1;
    unsigned bits;
    std::memcpy(&bits, &f, 4);
    x = std::uint16_t(bits >> 16);
  }
  return all;
}

float float_of(std::uint16_t x) {
  const unsigned bits = unsigned(x) << 16;
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}

template <int kBN, int kStages>
void print_product(int m, int n, int k, int repeats) {
  const auto a = random_bf16(std::size_t(m) * k, 1), b = random_bf16(std::size_t(k) * n, 2);
  std::vector<float> c(std::size_t(m) * n, NAN);
  auto *da = on_gpu(a), *db = on_gpu(b);
  auto* dc = on_gpu(c);
  const auto boxed_a = lab::boxes<const lab::bf16>(da, m, k, 128), boxed_b = lab::boxes<const lab::bf16>(db, k, n, 64);
  const auto kernel = specialized<kBN, kStages, Mistake::none, lab::Clean>;
  ok(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, boxed_bytes<kBN>(kStages)), "attribute");
  const dim3 grid((n + kBN - 1) / kBN, (m + 127) / 128);
  std::vector<float> times;
  cudaEvent_t start, stop;
  cudaEventCreate(&start), cudaEventCreate(&stop);
  for (int i = 0; i < repeats + 2; ++i) {
    cudaEventRecord(start);
    kernel<<<grid, 384, boxed_bytes<kBN>(kStages)>>>(boxed_a, boxed_b, dc, m, n, k);
    cudaEventRecord(stop);
    ok(cudaEventSynchronize(stop), "specialized");
    float ms = 0;
    cudaEventElapsedTime(&ms, start, stop);
    if (i >= 2) times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  ok(cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost), "specialized");
  double worst = 0;
  for (int sample = 0; sample < 4096; ++sample) {
    const std::size_t y = std::size_t(sample) * 2654435761u % m, x = std::size_t(sample) * 40503u % n;
    double want = 0;
    for (int p = 0; p < k; ++p) want += double(float_of(a[y * k + p])) * float_of(b[std::size_t(p) * n + x]);
    const double error = std::abs(c[y * n + x] - want);
    worst = error == error ? std::max(worst, error) : INFINITY;
  }
  std::printf("product %d %d %d tile 128 x %d, %d buffers: worst %.3g, %.4f ms (%.4f to %.4f), %.1f TFLOP/s\n", m, n, k, kBN,
              kStages, worst, times[times.size() / 2], times.front(), times.back(),
              2.0 * m * n * k / times[times.size() / 2] / 1e9);
  cudaFree(da), cudaFree(db), cudaFree(dc);
}

}  // namespace

int main() {
  print_landings();
  print_product<64, 2>(129, 72, 200, 3);
  print_product<128, 3>(128, 128, 320, 3);
  print_product<128, 4>(33, 136, 8, 3);
  print_product<128, 4>(4096, 4096, 4096, 50);
  print_product<256, 4>(4096, 4096, 4096, 50);
  print_product<256, 4>(8192, 8192, 8192, 50);
}
