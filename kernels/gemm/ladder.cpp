// C = A B, row by row: A m x k, B k x n, C m x n. fp32, or bf16 in and fp32 out on the tensor cores; or e4m3
// in, with B column by column.
#include "kernels/ladder.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "app/model/e4m3.hpp"
#include "app/model/portable.hpp"
#include "app/model/progress.hpp"

namespace lockstep {
namespace {

constexpr int kMaxEdge = 16384;  // 1 GiB a matrix; offsets stay below 2^32

// Above this many products a check samples C (every element is still checked to be a number).
constexpr double kCheckedProducts = 1 << 26;
constexpr int kSampledElements = 4096;

// Of compute capability 9.0: tiles of A come by the copy engine, 128 bytes wide.
const std::vector<std::string> kBoxedRungs{"tma",        "wgmma",      "pipelined", "specialized",
                                           "persistent", "box_stores", "cluster",   "fp8"};
const std::vector<std::string> kTensorRungs = [] {
  std::vector<std::string> all{"mma", "swizzle", "ldmatrix", "stages", "stores"};
  all.insert(all.end(), kBoxedRungs.begin(), kBoxedRungs.end());
  return all;
}();

// The type of A and B.
enum class Input : std::uint8_t { fp32, bf16, e4m3 };
Input input_of(std::string_view rung) {
  if (rung == "fp8") return Input::e4m3;
  const bool tensor = std::find(kTensorRungs.begin(), kTensorRungs.end(), rung) != kTensorRungs.end();
  return tensor ? Input::bf16 : Input::fp32;
}
std::uint32_t bytes_of(Input input) { return input == Input::fp32 ? 4 : input == Input::bf16 ? 2 : 1; }

struct Shape {
  std::size_t m, n, k;
  explicit Shape(const Params& p)
      : m(std::size_t(int_param(p, "m"))),
        n(std::size_t(int_param(p, "n"))),
        k(std::size_t(int_param(p, "k"))) {}
};

std::vector<BufferSpec> buffers(const Params& params, std::string_view rung) {
  const Shape s(params);
  const auto in = [&](const char* name, std::size_t rows, std::size_t cols) {
    BufferSpec spec{name, {rows, cols}, true};
    const Input type = input_of(rung);
    spec.element_bytes = bytes_of(type);
    if (type != Input::fp32) spec.type = type == Input::bf16 ? "bf16" : "e4m3";
    return spec;
  };
  const bool columns = input_of(rung) == Input::e4m3;
  return {in("a", s.m, s.k), columns ? in("b", s.n, s.k) : in("b", s.k, s.n), {"c", {s.m, s.n}, false}};
}

// Random in [-1, 1): 24 bits in fp32, the upper 16 of the float in bf16, the nearest number in e4m3.
void fill(const Params&, std::string_view rung, std::span<const Bytes> buffers) {
  std::mt19937 random(20261121);
  for (int matrix = 0; matrix < 2; ++matrix) {
    const Bytes& bytes = buffers[std::size_t(matrix)];
    const Input type = input_of(rung);
    const std::size_t size = bytes_of(type);
    for (std::size_t i = 0; i < bytes.size() / size; ++i) {
      const float x = float(random() >> 8) * 0x1p-23f - 1;
      const auto bits = bit_cast<std::uint32_t>(x);
      const auto upper = std::uint16_t(bits >> 16);
      if (type == Input::e4m3)
        bytes[i] = nearest_e4m3(x);
      else
        std::memcpy(bytes.data() + i * size, size == 4 ? static_cast<const void*>(&bits) : &upper, size);
    }
  }
}

double input(ConstBytes bytes, Input type, std::size_t i) {
  if (type == Input::e4m3) return value_of_e4m3(bytes[i]);
  std::uint32_t bits = 0;
  if (type == Input::bf16)
    std::memcpy(reinterpret_cast<char*>(&bits) + 2, bytes.data() + i * 2, 2);
  else
    std::memcpy(&bits, bytes.data() + i * 4, 4);
  return bit_cast<float>(bits);
}

// |error| of one element over the sum of |a| |b|: what rounding can do is proportional to it.
double relative_error(const Shape& s, Input type, std::span<const ConstBytes> buffers, std::size_t row,
                      std::size_t col) {
  double sum = 0, size = 0;
  for (std::size_t p = 0; p < s.k; ++p) {
    const std::size_t in_b = type == Input::e4m3 ? col * s.k + p : p * s.n + col;
    const double product = input(buffers[0], type, row * s.k + p) * input(buffers[1], type, in_b);
    sum += product, size += std::abs(product);
  }
  float got;
  std::memcpy(&got, buffers[2].data() + (row * s.n + col) * sizeof got, sizeof got);
  return size == 0 ? std::abs(got) : std::abs(got - sum) / size;
}

// Inputs are exact, also in bf16: what is left is the rounding of the sums in fp32, which grows with their
// number. A product of 16 terms on a tensor core is rounded once more than a chain of fused multiply-adds.
// Of 8-bit inputs the tensor cores keep sums that are shorter than fp32: on an H200 the largest error of this
// data was 1.1e-4 (k = 384), 2.0e-4 (4,096), 2.3e-4 (8,192), with cuBLASLt's fast accumulation the same to
// the digit.
double tolerance(const Shape& s, std::string_view rung) {
  const Input type = input_of(rung);
  if (type == Input::e4m3) return 0x1p-11;
  return (type == Input::bf16 ? 4e-6 : 1e-6) * std::max(1.0, double(s.k) / 1024);
}

Check check(const Params& params, std::string_view rung, std::span<const ConstBytes> buffers) {
  const Shape s(params);
  Check result{true, 0, tolerance(s, rung)};
  const auto add = [&](double error) { result.max_error = larger_error(result.max_error, error); };
  const auto* c = reinterpret_cast<const float*>(buffers[2].data());
  const Input type = input_of(rung);
  if (double(s.m) * double(s.n) * double(s.k) <= kCheckedProducts) {
    for (std::size_t row = 0; row < s.m; ++row)
      for (std::size_t col = 0; col < s.n; ++col) add(relative_error(s, type, buffers, row, col));
  } else {
    for (std::size_t i = 0; i < s.m * s.n; ++i)
      if (!std::isfinite(c[i])) add(NAN);
    std::mt19937 random(7);
    for (int i = 0; i < kSampledElements; ++i) {
      const std::size_t row = random() % s.m, col = random() % s.n;
      add(relative_error(s, type, buffers, row, col));
    }
  }
  result.pass = result.max_error <= result.tolerance;
  return result;
}

double bytes(const Params& params, std::string_view rung) {
  const Shape s(params);
  return double(s.m * s.k + s.k * s.n) * bytes_of(input_of(rung)) + double(s.m * s.n) * 4;
}

double flops(const Params& params, std::string_view) {
  const Shape s(params);
  return 2 * double(s.m) * double(s.n) * double(s.k);
}

// FLOP of the followed block over the bytes that its global accesses move: the sectors that it asks of its L1
// (counted), and those that the L1 does not hold (the model's). One block speaks for all where the tiles fit.
Metrics figures(const Run& run) {
  Traffic t;
  for (const Step& step : memory_steps(run.launches)) add_to(t, step);
  const double k = double(int_param(run.request.params, "k"));
  const double block_flops = 2 * k * double(t.store.lane_bytes) / sizeof(float);
  const auto sectors = t.load.sectors + t.store.sectors, l2_sectors = t.load.l2_sectors + t.store.l2_sectors;
  Metrics all;
  if (sectors > 0) all["flop_per_byte.asked"] = block_flops / (32 * double(sectors));
  const bool whole = !run.launches.empty() && run.launches[0].trace.dropped == 0;
  if (l2_sectors > 0 && whole) all["flop_per_byte.models.l2"] = block_flops / (32 * double(l2_sectors));
  return all;
}

Params tile(std::int64_t bm, std::int64_t bn, std::int64_t bk) {
  return {{"bm", bm}, {"bn", bn}, {"bk", bk}};
}

Params product(std::int64_t m, std::int64_t n, std::int64_t k, Params with = {}) {
  with["m"] = m, with["n"] = n, with["k"] = k;
  return with;
}

Parameter edge(const char* name, const char* help) {
  Parameter p;
  p.name = name;
  p.min = 1, p.max = kMaxEdge;
  p.default_value = std::int64_t{64};
  p.help = help;
  return p;
}

Parameter tile_edge(const char* name, std::vector<std::string> choices, const char* help) {
  Parameter p;
  p.name = name;
  p.min = 8, p.max = 256;
  p.choices = std::move(choices);
  p.default_value = std::int64_t{32};
  p.rungs = {"shared", "reg1d", "reg2d", "vectorized", "async", "warptile"};
  p.rungs.insert(p.rungs.end(), kTensorRungs.begin(), kTensorRungs.end());
  p.help = help;
  return p;
}

void set_words(LabInfo& lab) {
  lab.set_titles({{"m", N_("m")},
                  {"n", N_("n")},
                  {"k", N_("k")},
                  {"bm", N_("tile rows")},
                  {"bn", N_("tile columns")},
                  {"bk", N_("tile depth")}});
  lab.set_adds({{"naive", N_("a row per lane")},
                {"coalesced", N_("lanes side by side")},
                {"shared", N_("+ shared tiles")},
                {"reg1d", N_("+ a column each")},
                {"reg2d", N_("+ a square each")},
                {"vectorized", N_("+ 16-byte accesses")},
                {"async", N_("+ copies ahead")},
                {"warptile", N_("+ a tile per warp")},
                {"mma", N_("tensor cores, bf16")},
                {"swizzle", N_("XOR: slower alone")},
                {"ldmatrix", N_("+ 4 matrices a load")},
                {"stages", N_("+ a third buffer")},
                {"stores", N_("+ C in whole lines")},
                {"tma", N_("the TMA unit fetches")},
                {"wgmma", N_("+ no loads: wgmma")},
                {"pipelined", N_("+ a warp that fetches")},
                {"specialized", N_("+ 64 × 256 per group")},
                {"persistent", N_("+ blocks that stay")},
                {"box_stores", N_("+ the TMA unit stores C")},
                {"cluster", N_("+ one B for two blocks")},
                {"fp8", N_("8 bits: twice the rate")}});
}

LabInfo info() {
  LabInfo lab{"gemm",        N_("gemm"), N_("How is a tile reused on its way to the arithmetic?"),
              N_("Compute"), {},         {}};
  lab.rungs = {
      {"naive", N_("one thread per element; every lane reads a row of its own"), "gemm/01_naive.cuh"},
      {"coalesced", N_("neighbouring lanes in neighbouring columns"), "gemm/02_coalesced.cuh"},
      {"shared", N_("fetch a tile once, use it many times from shared memory"), "gemm/03_shared.cuh"},
      {"reg1d", N_("a column of C per thread: B's element is used again from a register"),
       "gemm/04_reg1d.cuh"},
      {"reg2d", N_("a square of C per thread: 2 t loads for t × t products"), "gemm/05_reg2d.cuh"},
      {"vectorized", N_("16 bytes per access; A is transposed on the way"), "gemm/06_vectorized.cuh"},
      {"async", N_("two buffers: copy tile k + 1 while tile k is multiplied"), "gemm/07_async.cuh", 80},
      {"warptile", N_("a rectangle per warp, and an order that suits the register banks"),
       "gemm/08_warptile.cuh", 80},
      {"mma", N_("tensor cores, bf16: 16 × 8 × 16 per warp instruction"), "gemm/09_mma.cuh", 80},
      {"swizzle",
       N_("no padding: 16-byte units change places. Slower by itself: each lane works out where, with twice "
          "the instructions"),
       "gemm/10_swizzle.cuh", 80},
      {"ldmatrix", N_("four 8 × 8 matrices per instruction, each lane its part"), "gemm/11_ldmatrix.cuh", 80},
      {"stages", N_("three buffers, one barrier per tile, fewer and larger warps"), "gemm/12_stages.cuh", 80},
      {"stores", N_("C leaves through shared memory, in whole lines"), "gemm/13_stores.cuh", 80},
      {"tma", N_("one thread asks, the TMA unit brings the tile and counts its bytes"), "gemm/14_tma.cuh",
       90},
      {"wgmma", N_("four warps multiply 64 rows, straight from shared memory"), "gemm/15_wgmma.cuh", 90},
      {"pipelined", N_("a warp of its own asks; full and empty buffers, no barrier for all"),
       "gemm/16_pipelined.cuh", 90},
      {"specialized", N_("the producer gives its registers away: 64 × 256 sums per group"),
       "gemm/17_specialized.cuh", 90},
      {"persistent", N_("a block per SM takes tile after tile, in an order that suits the L2"),
       "gemm/18_persistent.cuh", 90},
      {"box_stores", N_("C leaves in boxes: the warps go on while the TMA unit stores"),
       "gemm/19_box_stores.cuh", 90},
      {"cluster", N_("two blocks share a tile of B: each brings half of it to both"), "gemm/20_cluster.cuh",
       90},
      {"fp8", N_("8 bits per element: twice the depth in the same bytes and time, in shorter sums"),
       "gemm/21_fp8.cuh", 90},
  };
  Parameter m = edge("m", N_("Rows of A and of C.")), n = edge("n", N_("Columns of B and of C.")),
            k = edge("k", N_("Columns of A, rows of B: the length of each sum."));
  for (const char* rung : {"vectorized", "async", "warptile"})
    n.rung_multiples[rung] = k.rung_multiples[rung] = 4;
  for (const auto& rung : kTensorRungs) n.rung_multiples[rung] = k.rung_multiples[rung] = 8;
  for (const auto& rung : kBoxedRungs) {  // several tiles in the loop, several blocks
    m.rung_defaults[rung] = n.rung_defaults[rung] = std::int64_t{128};
    k.rung_defaults[rung] = std::int64_t{384};
  }
  m.rung_defaults["cluster"] = std::int64_t{256};  // a cluster has two tiles, one below the other
  k.rung_multiples["fp8"] = 16;                    // a row of A is a multiple of 16 bytes
  lab.parameters = {m,
                    n,
                    k,
                    tile_edge("bm", {"16", "32", "64", "128"}, N_("Rows of C per block.")),
                    tile_edge("bn", {"16", "32", "64", "128", "256"}, N_("Columns of C per block.")),
                    tile_edge("bk", {"8", "16", "32", "64", "128"},
                              N_("Columns of A and rows of B per trip around the k-loop."))};
  lab.sets["shared"] = {tile(16, 16, 16), tile(32, 32, 32)};
  lab.sets["reg1d"] = {tile(32, 32, 8), tile(64, 64, 8)};
  for (const char* rung : {"reg2d", "vectorized", "async"})
    lab.sets[rung] = {tile(32, 32, 8), tile(64, 64, 8), tile(128, 128, 8)};
  lab.sets["warptile"] = {tile(32, 32, 8), tile(64, 64, 8), tile(128, 128, 32)};
  for (const auto& rung : kTensorRungs) lab.sets[rung] = {tile(32, 32, 16), tile(128, 128, 32)};
  for (const auto& rung : kBoxedRungs) lab.sets[rung] = {tile(64, 64, 64), tile(128, 128, 64)};
  for (const char* rung : {"specialized", "persistent", "box_stores", "cluster"})
    lab.sets[rung] = {tile(128, 64, 64), tile(128, 256, 64)};
  lab.sets["fp8"] = {tile(128, 64, 128), tile(128, 256, 128)};
  set_words(lab);
  return lab;
}

// The edges at which every rung is timed, with its largest tiles; the last one is the bench's.
constexpr std::int64_t kTimedEdges[] = {1024, 2048, 4096};

Params timed(const LabInfo& lab, std::string_view rung, std::int64_t edge) {
  const auto sets = lab.sets.find(std::string(rung));
  return product(edge, edge, edge, sets == lab.sets.end() ? Params{} : sets->second.back());
}

std::vector<RecordedSetting> recorded(const LabInfo& lab) {
  std::vector<RecordedSetting> all;
  for (const RungInfo& rung : lab.rungs)
    for (std::int64_t edge : {kTimedEdges[0], kTimedEdges[1]})
      all.push_back({rung.slug, timed(lab, rung.slug, edge)});
  return all;
}

}  // namespace

const Ladder& gemm_ladder() {
  static const Ladder ladder = [] {
    Ladder l;
    l.info = info();
    l.buffers = buffers, l.fill = fill, l.check = check, l.bytes = bytes, l.flops = flops;
    l.figures = figures;
    l.tensor_rungs = kTensorRungs, l.fp8_rungs = {"fp8"}, l.unit_rungs = kBoxedRungs;
    l.sm_errors = {{"wgmma", {8, 12}},     {"pipelined", {0, 1}},  {"specialized", {2, 3}},
                   {"persistent", {0, 0}}, {"box_stores", {0, 0}}, {"fp8", {3, 5}}};
    l.cluster_rungs = {"cluster"};
    l.reference = "cuBLAS", l.rung_references = {{"fp8", "cuBLASLt"}};
    l.bench_params = [lab = l.info](std::string_view rung) { return timed(lab, rung, kTimedEdges[2]); };
    l.validation_params = {product(33, 65, 17),
                           product(64, 64, 64),
                           product(64, 96, 40),
                           product(96, 100, 72, tile(32, 32, 32)),
                           product(128, 128, 128, tile(64, 64, 8)),
                           product(200, 136, 72, tile(128, 128, 8))};
    l.rung_validation_params = {
        {"persistent", product(1536, 768, 128, tile(128, 64, 64))},  // 144 tiles for 132 blocks
        {"box_stores", product(1536, 768, 128, tile(128, 64, 64))},
        {"cluster", product(1536, 768, 128, tile(128, 64, 64))},
        {"cluster", product(300, 136, 200, tile(128, 256, 64))},
        {"fp8", product(1536, 768, 256, tile(128, 64, 128))},
        {"fp8", product(200, 136, 400, tile(128, 256, 128))},
        {"fp8", product(1, 8, 16, tile(128, 64, 128))}};
    l.recorded_params = recorded(l.info);
    // Of a product of one row (m = 1) 31 of a block's 32 rows are idle, and blocks on one SM share sectors.
    l.l1_errors = {{"naive", 0.10}, {"coalesced", 0.07}};
    return l;
  }();
  return ladder;
}

}  // namespace lockstep
