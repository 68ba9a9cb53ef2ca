// out = transposed in; both n x n, row by row, 4-byte floats.
#include "kernels/ladder.hpp"

#include <cmath>
#include <cstring>
#include <random>

namespace lockstep {
namespace {

constexpr int kMaxN = 16384;  // 1 GiB a matrix; offsets stay below 2^32

std::vector<BufferSpec> buffers(const Params& params, std::string_view) {
  const auto n = std::uint64_t(int_param(params, "n"));
  return {{"in", {n, n}, true}, {"out", {n, n}, false}};
}

void fill(const Params&, std::string_view, std::span<const Bytes> buffers) {
  std::mt19937 random(20261121);
  auto* in = reinterpret_cast<float*>(buffers[0].data());
  for (std::size_t i = 0; i < buffers[0].size() / sizeof(float); ++i)
    in[i] = float(random() >> 8) * 0x1p-23f - 1;  // [-1, 1), every value exact
}

// A transpose moves bits: nothing but equality will do, and NaN (the poison) is never equal.
Check check(const Params& params, std::string_view rung, std::span<const ConstBytes> buffers) {
  const auto n = std::size_t(int_param(params, "n"));
  const auto* in = reinterpret_cast<const float*>(buffers[0].data());
  const auto* out = reinterpret_cast<const float*>(buffers[1].data());
  Check result{true, 0, 0};
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t col = 0; col < n; ++col) {
      const double want = rung == "copy" ? in[row * n + col] : in[col * n + row];
      const double error = std::abs(out[row * n + col] - want);
      result.max_error = larger_error(result.max_error, error);
    }
  result.pass = result.max_error <= result.tolerance;
  return result;
}

double bytes(const Params& params, std::string_view) {
  const double n = double(int_param(params, "n"));
  return 2 * n * n * sizeof(float);
}

std::vector<Params> sizes(std::initializer_list<std::int64_t> ns) {
  std::vector<Params> all;
  for (std::int64_t n : ns) all.push_back({{"n", n}});
  return all;
}

LabInfo info() {
  LabInfo lab{"transpose",
              N_("transpose"),
              N_("How do you transpose a matrix without wasting a byte?"),
              N_("Moving bytes"),
              {},
              {}};
  lab.rungs = {
      {"copy", N_("no transpose: the speed to aim for"), "transpose/01_copy.cuh"},
      {"naive", N_("reads run along rows, writes run down columns"), "transpose/02_naive.cuh"},
      {"tiled", N_("turn a 32 x 32 tile over in shared memory"), "transpose/03_tiled.cuh"},
      {"padded", N_("one column more per row, and no two lanes share a bank"), "transpose/04_padded.cuh"},
      {"swizzled", N_("no conflict and no extra byte: XOR the column with the row"),
       "transpose/05_swizzled.cuh"},
      {"vectorized", N_("16 bytes per lane and access, 64 x 64 tiles"), "transpose/06_vectorized.cuh"},
      {"ordered", N_("blocks of one moment write side by side: x goes along the rows of out"),
       "transpose/07_ordered.cuh"},
  };
  Parameter n;
  n.name = "n";
  n.min = 1, n.max = kMaxN;
  n.default_value = std::int64_t{128};
  n.rung_defaults["ordered"] = std::int64_t{192};  // nine blocks in three rows
  n.unit = N_("rows and columns");
  n.help = N_("The matrix has n rows and n columns of 4-byte floats.");
  lab.parameters = {n};
  lab.set_titles({{"n", N_("n")}});
  lab.set_adds({{"copy", N_("no transpose")},
                {"naive", N_("writes run down columns")},
                {"tiled", N_("+ a tile in shared memory")},
                {"padded", N_("+ one column per row")},
                {"swizzled", N_("XOR: no padding, more math")},
                {"vectorized", N_("+ 16 bytes per lane")},
                {"ordered", N_("+ blocks write in a row")}});
  return lab;
}

}  // namespace

const Ladder& transpose_ladder() {
  static const Ladder ladder = [] {
    Ladder l;
    l.info = info();
    l.buffers = buffers, l.fill = fill, l.check = check, l.bytes = bytes;
    l.flops = [](const Params&, std::string_view) { return 0.0; };
    l.reference = "cudaMemcpy";
    l.bench_params = [](std::string_view) { return Params{{"n", std::int64_t{16384}}}; };
    l.validation_params = sizes({31, 33, 100, 128, 256, 1000});
    return l;
  }();
  return ladder;
}

}  // namespace lockstep
