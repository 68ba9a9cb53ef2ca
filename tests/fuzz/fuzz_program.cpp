// CUDA sources of readers, finished or not, before any compiler sees them.
#include <algorithm>

#include "../program_samples.hpp"
#include "app/program/source/clang_output.hpp"
#include "app/program/source/rewrite.hpp"
#include "fuzz.hpp"

using namespace lockstep;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  std::vector<std::string> seeds{"s" + std::string(test::kManyConstructs)};
  for (const char* part :
       {"k<<<1, 2>>>(d, n);", "__global__ void k(float* d, int n) { extern __shared__ float s[]; }",
        "#define L(k) k<<<1, 2>>>()\n__device__ int x = 1, y[3];\nint main() {}"})
    seeds.push_back("s" + std::string(part));
  seeds.push_back(
      "omy.cu:3:5: error: use of undeclared identifier 'x'; did you mean 'y'?\nmy.cu:1:1: note: here\n");
  fuzz::write_seeds(seeds);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  reader::RewriteOptions options;
  options.file = "my.cu";
  if (data[0] == 'o') {
    (void)reader::read_clang_output(text, {{"my.cu", {}}}, {}, "/scratch");
    return 0;
  }
  const reader::Rewritten out = reader::rewrite(text, options);
  fuzz::promise(
      std::count(out.text.begin(), out.text.end(), '\n') == std::count(text.begin(), text.end(), '\n'),
      "every line stays where it is");
  for (const reader::Diagnostic& one : out.refused)
    fuzz::promise(one.line >= 1 && one.column >= 1, "what is refused has its place");
  return 0;
}
