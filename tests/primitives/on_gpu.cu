#include "primitives.cuh"

namespace primitives {
namespace {

struct Row {
  void (*kernel)(const unsigned*, unsigned*);
};
const std::vector<Row>& table() {
  using namespace lab::tested;
  using lab::BuildProbe;
#define LAB_ROW(name, ...) {&__VA_ARGS__},
  static const std::vector<Row> rows{LAB_PRIMITIVES(LAB_ROW)};
#undef LAB_ROW
  return rows;
}

}  // namespace

Words on_gpu(int primitive, const Words& in, std::string& error) {
  Words out(std::size_t(kCases) * kWordsOut, 0);
  unsigned *from = nullptr, *to = nullptr;
  const auto check = [&](cudaError_t e) {
    if (e != cudaSuccess && error.empty()) error = cudaGetErrorString(e);
  };
  check(cudaMalloc(&from, in.size() * sizeof(unsigned)));
  check(cudaMalloc(&to, out.size() * sizeof(unsigned)));
  check(cudaMemcpy(from, in.data(), in.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
  check(cudaMemset(to, 0, out.size() * sizeof(unsigned)));
  if (error.empty()) {
    table().at(std::size_t(primitive)).kernel<<<kCases, 32>>>(from, to);
    check(cudaGetLastError());
    check(cudaMemcpy(out.data(), to, out.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  }
  cudaFree(from), cudaFree(to);
  return error.empty() ? out : Words{};
}

}  // namespace primitives
