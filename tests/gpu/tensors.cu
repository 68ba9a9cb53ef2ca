// Runs the kernels of tensor_kernels.cuh on a GPU of compute capability 9.0 and prints what the emulator's tests hold
// against themselves: nvcc -std=c++20 -O3 --expt-relaxed-constexpr -I. -gencode=arch=compute_90a,code=sm_90a
// tests/gpu/tensors.cu -o tensors -lcuda && ./tensors. Each line is a process of its own: what one of them breaks the
// next one does not see.
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "app/model/e5m2.hpp"
#include "tests/tensor_kernels.cuh"

using namespace bulk_test;
using lab::Clean;

namespace {

void ok(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  std::fflush(stdout);
  std::_Exit(1);
}

template <class To, class T>
To* on_gpu(const std::vector<T>& data) {
  void* p = nullptr;
  ok(cudaMalloc(&p, data.size() * sizeof(T)), "cudaMalloc");
  ok(cudaMemcpy(p, data.data(), data.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  return static_cast<To*>(p);
}
template <class T>
void from_gpu(std::vector<T>& data, const void* p, const char* what) {
  ok(cudaGetLastError(), what);
  ok(cudaMemcpy(data.data(), p, data.size() * sizeof(T), cudaMemcpyDeviceToHost), what);
}
template <class Kernel>
void allow_shared(Kernel kernel, int bytes) {
  ok(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "attribute");
}
unsigned long long number(std::uint64_t hash) { return hash; }

template <class T, int kDimensions>
std::vector<std::uint32_t> landed(const TensorCase& c, int bytes, int first) {
  auto* data = on_gpu<const T>(numbered_words(c.elements() * sizeof(T)));
  std::vector<std::uint32_t> words(kTileBytes / 4);
  auto* out = on_gpu<unsigned>(words);
  const auto t = lab::tensor<const T, kDimensions>(data, shape_of<kDimensions>(c.extent), shape_of<kDimensions>(c.box), c.swizzle);
  allow_shared(land_tensor<T, kDimensions, Clean>, kTileBytes);
  land_tensor<T, kDimensions, Clean><<<1, 128, kTileBytes>>>(t, out, c.at(), bytes, first);
  from_gpu(words, out, "land_tensor");
  return words;
}
template <class T, int kDimensions, Reduction kHow>
std::vector<std::uint32_t> sent(const TensorCase& c, const std::vector<std::uint32_t>& values,
                                std::vector<std::uint32_t> before, int count, int blocks, BoxPlace place) {
  auto* from = on_gpu<const T>(values);
  auto* to = on_gpu<T>(before);
  const auto t = lab::tensor<T, kDimensions>(to, shape_of<kDimensions>(c.extent), shape_of<kDimensions>(c.box), c.swizzle);
  allow_shared(send_tensor<T, kDimensions, kHow, Clean>, kTileBytes);
  send_tensor<T, kDimensions, kHow, Clean><<<blocks, 128, kTileBytes>>>(t, from, place, count);
  from_gpu(before, to, "send_tensor");
  return before;
}

#include "tests/tensor_dispatch.inl"

void land(std::size_t i) {
  const TensorCase c = tensor_cases()[i];
  std::printf("land %zu %016llx\n", i, number(hash_of(land_case(c, int(c.tensor().bytes())))));
}
void store(std::size_t i) {
  const TensorCase c = tensor_cases()[i];
  std::printf("store %zu %016llx\n", i, number(hash_of(store_case(c, c.at(true)))));
}
void reduce(std::size_t i) {
  std::printf("reduce %zu %016llx\n", i, number(hash_of(reduce_case(reduction_cases()[i]))));
}

void refuse(std::size_t i) {
  const RefusedCase r = refused_cases()[i];
  std::printf("refuse %zu: ", i);
  if (r.stored) store_case(r.box, r.box.at());
  else land_case(r.box, int(r.box.tensor().bytes()), r.first_word);
  std::printf("it does not\n");
}

template <class T, Reduction kHow>
void bytes_sent(const char* name, Element element) {
  constexpr int kCount = 1024, kBlocks = 3;
  auto* values = on_gpu<const T>(small_values(element, kCount * kBlocks, 5));
  auto before = small_values(element, kCount * kBlocks, 6);
  auto* out = on_gpu<T>(before);
  allow_shared(send_bytes<T, kHow, Clean>, kTileBytes);
  send_bytes<T, kHow, Clean><<<kBlocks, 128, kTileBytes>>>(values, out, kCount);
  from_gpu(before, out, "send_bytes");
  std::printf("bytes %s %016llx\n", name, number(hash_of(before)));
}

// What adding does to numbers too small for a hidden bit, and to what is rounded: one block, one value each.
template <class T>
void rounded(const char* name, const std::vector<std::uint32_t>& there, const std::vector<std::uint32_t>& added,
             bool as_tensor) {
  auto result = there;
  auto* from = on_gpu<const T>(added);
  auto* to = on_gpu<T>(there);
  const int count = int(there.size() * 4 / sizeof(T));
  if (as_tensor) {
    const auto t = lab::tensor<T, 1>(to, lab::shape(count), lab::shape(count), BoxSwizzle::none);
    allow_shared(send_tensor<T, 1, Reduction::add, Clean>, kTileBytes);
    send_tensor<T, 1, Reduction::add, Clean><<<1, 128, kTileBytes>>>(t, from, BoxPlace{}, count);
  } else {
    allow_shared(send_bytes<T, Reduction::add, Clean>, kTileBytes);
    send_bytes<T, Reduction::add, Clean><<<1, 128, kTileBytes>>>(from, to, count);
  }
  from_gpu(result, to, "rounded");
  std::printf("rounded %s %s", name, as_tensor ? "tensor" : "bytes");
  for (const std::uint32_t word : result) std::printf(" %08x", word);
  std::printf("\n");
}

template <class T, int kN, bool kByColumns, bool kInRegisters>
void product(const char* name) {
  constexpr int kK = 128 / int(sizeof(T));
  for (const bool exact : {true, false}) {
    const auto a = operand(sizeof(T), 64, kK, true, exact, 1);
    const auto b = kByColumns ? operand(sizeof(T), kK, kN, false, exact, 2) : operand(sizeof(T), kN, kK, false, exact, 2);
    std::vector<float> c(64 * kN, NAN);
    auto *da = on_gpu<const T>(a), *db = on_gpu<const T>(b);
    auto* dc = on_gpu<float>(c);
    const auto boxed_a = lab::boxes<const T>(da, 64, kK, 64);
    const auto boxed_b = kByColumns ? lab::boxes<const T>(db, kK, kN, 64) : lab::boxes<const T>(db, kN, kK, kN);
    const auto kernel = product_of<T, kN, kByColumns, kInRegisters, Clean>;
    allow_shared(kernel, (64 + kN) * 128);
    kernel<<<1, 128, (64 + kN) * 128>>>(boxed_a, boxed_b, reinterpret_cast<const unsigned*>(da), dc);
    from_gpu(c, dc, "product_of");
    std::vector<std::uint32_t> bits(c.size());
    std::memcpy(bits.data(), c.data(), bits.size() * 4);
    double worst = 0;
    for (int y = 0; y < 64 && !exact; ++y)
      for (int x = 0; x < kN; ++x)
        worst = std::fmax(worst, std::fabs(c[y * kN + x] - product_element(sizeof(T), kByColumns, a, b, kN, y, x)));
    if (exact) std::printf("product %s exact %016llx\n", name, number(hash_of(bits)));
    else std::printf("product %s worst %.3g\n", name, worst);
  }
}

void narrowed() {
  const auto in = floats_to_narrow();
  std::vector<std::uint32_t> out(in.size() / 4);
  auto* from = on_gpu<const float>(in);
  auto* to = on_gpu<unsigned>(out);
  narrow_e5m2<Clean><<<(int(out.size()) + 127) / 128, 128>>>(from, to, int(out.size()));
  from_gpu(out, to, "narrow_e5m2");
  std::printf("e5m2 %016llx\n", number(hash_of(out)));
  int differ = 0;
  for (std::size_t i = 0; i < in.size(); ++i)
    differ += (out[i / 4] >> i % 4 * 8 & 0xff) != lockstep::nearest_e5m2(double(in[i]));
  std::printf("e5m2 differs from nearest_e5m2 in %d of %zu\n", differ, in.size());
}

void named_barriers() {
  constexpr int kRounds = 7;
  std::vector<int> out(64 * kRounds);
  auto* to = on_gpu<int>(out);
  named<Named::right, Clean><<<1, 128>>>(to, kRounds);
  from_gpu(out, to, "named");
  std::printf("named %016llx\n", number(hash_of(std::vector<std::uint32_t>(out.begin(), out.end()))));
}

void dependents() {
  constexpr int kCount = 128 * 1024;
  std::vector<int> data(kCount), out(kCount);
  auto *from = on_gpu<int>(data), *to = on_gpu<int>(out);
  cudaLaunchConfig_t config{};
  config.gridDim = kCount / 128, config.blockDim = 128;
  cudaLaunchAttribute overlaps{};
  overlaps.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlaps.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &overlaps, config.numAttrs = 1;
  writes_first<Clean><<<kCount / 128, 128>>>(from, kCount);
  ok(cudaLaunchKernelEx(&config, reads_then<Clean>, static_cast<const int*>(from), to, kCount), "launch");
  from_gpu(out, to, "reads_then");
  std::printf("dependents %016llx\n", number(hash_of(std::vector<std::uint32_t>(out.begin(), out.end()))));
}

int apart(const std::function<void()>& job) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(25);  // what waits for ever
    job();
    std::fflush(stdout);
    std::_Exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) std::printf("ended by signal %d\n", WTERMSIG(status));
  return status;
}

}  // namespace

int main() {
  apart([] {
    cudaDeviceProp p;
    int driver = 0, runtime = 0;
    ok(cudaGetDeviceProperties(&p, 0), "device");
    cudaDriverGetVersion(&driver), cudaRuntimeGetVersion(&runtime);
    std::printf("%s, driver API %d, runtime %d\n", p.name, driver, runtime);
  });
  for (std::size_t i = 0; i < tensor_cases().size(); ++i)
    if (apart([i] { land(i); })) std::printf("  that was land %zu\n", i);
  for (std::size_t i = 0; i < tensor_cases().size(); ++i)
    if (apart([i] { store(i); })) std::printf("  that was store %zu\n", i);
  for (std::size_t i = 0; i < reduction_cases().size(); ++i)
    if (apart([i] { reduce(i); })) std::printf("  that was reduce %zu\n", i);
  apart([] { bytes_sent<float, Reduction::none>("f32 store", Element::f32); });
  apart([] { bytes_sent<float, Reduction::add>("f32 add", Element::f32); });
  apart([] { bytes_sent<lab::bf16, Reduction::add>("bf16 add", Element::bf16); });
  apart([] { bytes_sent<half, Reduction::max>("f16 max", Element::f16); });
  apart([] { bytes_sent<int, Reduction::min>("s32 min", Element::s32); });
  apart([] { bytes_sent<unsigned, Reduction::bit_xor>("u32 xor", Element::u32); });
  for (const bool as_tensor : {true, false}) {
    apart([&] { rounded<float>("f32", small_floats(0), small_floats(1), as_tensor); });
    apart([&] { rounded<half>("f16", small_halves(0), small_halves(1), as_tensor); });
    apart([&] { rounded<lab::bf16>("bf16", small_bf16(0), small_bf16(1), as_tensor); });
  }
  apart([] { product<half, 64, false, false>("half 64 rows shared"); });
  apart([] { product<half, 64, true, false>("half 64 columns shared"); });
  apart([] { product<half, 128, true, true>("half 128 columns registers"); });
  apart([] { product<half, 64, false, true>("half 64 rows registers"); });
  apart([] { product<lab::e5m2, 64, false, false>("e5m2 64 rows shared"); });
  apart([] { product<lab::e5m2, 128, false, false>("e5m2 128 rows shared"); });
  apart([] { product<lab::e5m2, 64, false, true>("e5m2 64 rows registers"); });
  apart(narrowed);
  apart(named_barriers);
  apart(dependents);
  for (std::size_t i = 0; i < refused_cases().size(); ++i) apart([i] { refuse(i); });
}
