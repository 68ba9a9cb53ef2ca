// out[r][c] = e^(x[r][c] - max_r) / sum_r: a softmax over each row of x, rows x cols, in fp32, bf16 or fp16.
#include "kernels/ladder.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "app/model/portable.hpp"
#include "kernels/host_half.hpp"

namespace lockstep {
namespace {

constexpr double kMaxScores = 1 << 28;  // 1 GiB a matrix in fp32; offsets stay below 2^32
constexpr std::int64_t kMaxRows = 1 << 20, kMaxCols = 1 << 20;
// What 04_fused.cuh and 05_vectorized.cuh are compiled for: 224 KB of floats in shared memory, 32 per thread
// of a block of 1024.
constexpr std::int64_t kFusedCols = 57344, kVectorizedCols = 32768;

struct Shape {
  std::size_t rows, cols;
  explicit Shape(const Params& p)
      : rows(std::size_t(int_param(p, "rows"))), cols(std::size_t(int_param(p, "cols"))) {}
};

std::string word(const Params& params, const char* name, const char* otherwise) {
  return params.contains(name) ? std::get<std::string>(params.at(name)) : otherwise;
}
std::string dtype(const Params& params) { return word(params, "dtype", "float"); }

// Also where a file gives a whole number.
double scale(const Params& params) {
  const auto at = params.find("scale");
  if (at == params.end()) return 4;
  const auto* whole = std::get_if<std::int64_t>(&at->second);
  return whole ? double(*whole) : std::get<double>(at->second);
}

// A matrix of one of the three element types, over the bytes of a buffer.
struct Matrix {
  std::uint8_t* bytes;
  std::string type;
  void set(std::size_t i, float x) const {
    if (type == "float") {
      std::memcpy(bytes + 4 * i, &x, 4);
      return;
    }
    const std::uint16_t bits = type == "half" ? lab::__half_as_ushort(lab::__float2half(x))
                                              : lab::__bfloat16_as_ushort(lab::__float2bfloat16(x));
    std::memcpy(bytes + 2 * i, &bits, 2);
  }
  double at(std::size_t i) const {
    if (type == "float") {
      float x;
      std::memcpy(&x, bytes + 4 * i, 4);
      return x;
    }
    std::uint16_t bits;
    std::memcpy(&bits, bytes + 2 * i, 2);
    return type == "half" ? lab::__half2float(lab::__ushort_as_half(bits))
                          : double(bit_cast<float>(std::uint32_t{bits} << 16));
  }
};
Matrix matrix(const Params& params, ConstBytes bytes) {
  return {const_cast<std::uint8_t*>(bytes.data()), dtype(params)};
}

std::vector<BufferSpec> buffers(const Params& params, std::string_view) {
  const Shape s(params);
  const std::string type = dtype(params);
  const std::uint32_t size = type == "float" ? 4 : 2;
  return {{"x", {s.rows, s.cols}, true, type, size}, {"p", {s.rows, s.cols}, false, type, size}};
}

// scale * u with u random in [-1, 1), 24 bits, rounded to the element type; the other patterns are made of
// it. `huge` and `one` pick a column per row; `rising` climbs by scale along the row.
void fill(const Params& params, std::string_view, std::span<const Bytes> buffers) {
  const Shape s(params);
  const std::string input = word(params, "input", "rising");
  const double spread = scale(params);
  const Matrix x = matrix(params, buffers[0]);
  std::mt19937 random(20261121);
  for (std::size_t row = 0; row < s.rows; ++row) {
    const std::size_t picked = random() % s.cols;
    for (std::size_t col = 0; col < s.cols; ++col) {
      const double u = double(random() >> 8) * 0x1p-23 - 1, along = double(col) / double(s.cols);
      double score = spread * u;
      if (input == "rising") score = spread * (u / 2 + along - 0.5);
      if (input == "equal") score = spread;
      if (input == "huge" && col == picked) score = 10 * spread + 100;
      if (input == "none" || (input == "one" && col != picked)) score = -INFINITY;
      x.set(row * s.cols + col, float(score));
    }
  }
}

// Unit roundoff and smallest normal number of an element type.
struct Rounding {
  double unit, least;
};
Rounding rounding(const std::string& type) {
  if (type == "half") return {0x1p-11, 0x1p-14};
  if (type == "bf16") return {0x1p-8, 0x1p-126};
  return {0x1p-24, 0x1p-126};
}

// In units of fp32's roundoff: e^(x - m) inherits the rounding of x - m, at most 88 before it underflows, and
// twice where sums with different maxima are merged; a lane adds cols / 32 terms; expf, the quotient and the
// reduction add 16. The result is rounded to the element type once more.
double tolerance(const Params& params) {
  const std::string input = word(params, "input", "rising");
  const double widest = input == "equal" || input == "one" || input == "none" ? 0
                        : input == "huge"                                     ? 88
                                          : std::min(88.0, 2.5 * scale(params));
  const double fp32 = 0x1p-24 * (16 + 2 * widest + double(int_param(params, "cols")) / 32);
  return fp32 + (dtype(params) == "float" ? 0 : rounding(dtype(params)).unit);
}

// The softmax of one row in double; 0 for a row of -infinity alone.
std::vector<double> softmax(const Matrix& x, std::size_t first, std::size_t cols) {
  std::vector<double> p(cols);
  double m = -INFINITY, l = 0;
  for (std::size_t c = 0; c < cols; ++c) m = std::max(m, p[c] = x.at(first + c));
  if (m == -INFINITY) return std::vector<double>(cols, 0);
  for (double& e : p) l += e = std::exp(e - m);
  for (double& e : p) e /= l;
  return p;
}

// |error| over the exact p; below the smallest normal number over that. NaN fails.
Check check(const Params& params, std::string_view, std::span<const ConstBytes> buffers) {
  const Shape s(params);
  const Matrix x = matrix(params, buffers[0]), got = matrix(params, buffers[1]);
  const double least = rounding(dtype(params)).least;
  Check result{true, 0, tolerance(params)};
  for (std::size_t row = 0; row < s.rows; ++row) {
    const auto want = softmax(x, row * s.cols, s.cols);
    for (std::size_t col = 0; col < s.cols; ++col) {
      const double error = std::abs(got.at(row * s.cols + col) - want[col]) / std::max(want[col], least);
      result.max_error = larger_error(result.max_error, error);
    }
  }
  result.pass = result.max_error <= result.tolerance;
  return result;
}

std::vector<Message> warnings(const Params& params, std::string_view rung,
                              std::span<const ConstBytes> buffers) {
  const Shape s(params);
  const Matrix x = matrix(params, buffers[0]);
  std::int64_t empty = 0;
  for (std::size_t row = 0; row < s.rows; ++row) {
    bool any = false;
    for (std::size_t col = 0; col < s.cols && !any; ++col) any = x.at(row * s.cols + col) != -INFINITY;
    empty += !any;
  }
  if (!empty) return {};
  const std::vector<std::string> args{std::to_string(empty), std::to_string(s.rows)};
  if (rung == "naive")
    return {{N_("{0} of {1} rows hold nothing but −∞: their softmax is defined as 0, and 0 / 0 is NaN here"),
             args}};
  return {{N_("{0} of {1} rows hold nothing but −∞: their softmax is defined as 0"), args}};
}

double bytes(const Params& params, std::string_view) {
  const Shape s(params);
  return 2 * double(s.rows) * double(s.cols) * (dtype(params) == "float" ? 4 : 2);
}

// Rows with an inf or a NaN in what the kernel gave; nothing where the buffer was not kept.
std::optional<std::int64_t> rows_not_finite(const Run& run) {
  const ViewInfo* p = run.launches.empty() ? nullptr : run.launches[0].view(1);
  if (!p || p->shape.size() != 2) return {};
  for (const Buffer& buffer : run.buffers) {
    if (buffer.view != 1) continue;
    std::int64_t rows = 0;
    for (std::uint64_t row = 0; row < p->shape[0]; ++row) {
      bool finite = true;
      for (std::uint64_t col = 0; col < p->shape[1] && finite; ++col)
        finite = std::isfinite(element(*p, buffer, row * p->shape[1] + col));
      rows += !finite;
    }
    return rows;
  }
  return {};
}

// How often the running maximum of the followed row rose after its first tile, by what the kernel showed.
std::int64_t max_moved(const Run& run) {
  const BlockTrace& trace = run.launches.at(0).trace;
  const auto row = std::uint32_t(trace.block * (run.launches[0].threads() / 32) + run.request.warp);
  std::int64_t moved = -1;  // the first tile's maximum is not a move
  float before = -INFINITY;
  for (const Access& a : trace.events)
    if (a.kind == Kind::value && a.view == name_id("m") && a.offset == row)
      if (const float m = bit_cast<float>(a.mask); m > before) ++moved, before = m;
  return std::max<std::int64_t>(0, moved);
}

Metrics figures(const Run& run) {
  Metrics all;
  if (run.counts)
    all["reads_per_element"] =
        32 * double(run.counts->global_load_sectors) / (bytes(run.request.params, run.request.rung) / 2);
  if (const auto rows = rows_not_finite(run)) all["rows_not_finite"] = *rows;
  if (run.request.rung == "online" && !run.launches.empty()) all["max_moved"] = max_moved(run);
  return all;
}

// --- the table ---------------------------------------------------------------------------------------------

// What fits on chip, and into 32-bit offsets.
Status rule(std::string_view rung, const Params& params) {
  const std::int64_t rows = int_param(params, "rows"), cols = int_param(params, "cols");
  const auto n = [](std::int64_t x) { return std::to_string(x); };
  if (double(rows) * double(cols) > kMaxScores)
    return bad_input("rows = {0} and cols = {1} are too many scores together: at most {2} rows of {1}",
                     {n(rows), n(cols), n(std::int64_t(kMaxScores) / cols)});
  if (rung == "fused" && cols > kFusedCols)
    return bad_input(
        "cols = {0} is not possible for softmax/fused: a row of {0} floats takes {1} KB, and a block has 227 "
        "KB "
        "of shared memory; at most {2}",
        {n(cols), n(cols * 4 / 1024), n(kFusedCols)});
  if (rung == "vectorized" && cols > kVectorizedCols)
    return bad_input(
        "cols = {0} is not possible for softmax/vectorized: 1024 threads keep 32 scores each in registers; "
        "at "
        "most {1}",
        {n(cols), n(kVectorizedCols)});
  return Unit{};
}

Parameter edge(const char* name, std::int64_t max, std::int64_t start, const char* help) {
  Parameter p;
  p.name = name, p.min = 1, p.max = double(max), p.default_value = start, p.help = help;
  return p;
}

Parameter choice(const char* name, std::vector<std::string> words, const char* help) {
  Parameter p;
  p.name = name, p.type = "choice", p.default_value = words.front(), p.choices = std::move(words);
  p.help = help;
  return p;
}

std::vector<Parameter> parameters() {
  Parameter rows = edge("rows", kMaxRows, 8, N_("Rows of x: each has a softmax of its own.")),
            cols = edge("cols", kMaxCols, 256, N_("Scores per row."));
  cols.rung_multiples["vectorized"] = 4;
  cols.multiple_of = "dtype", cols.choice_multiples = {{"bf16", 8}, {"half", 8}};
  Parameter scale;
  scale.name = "scale", scale.type = "float", scale.min = 0, scale.max = 1000, scale.default_value = 4.0;
  Parameter input = choice(
      "input", {"random", "rising", "equal", "huge", "one", "none"},
      N_("random; rising along the row; all equal; one far above the rest; −∞ but for one; −∞ everywhere."));
  input.default_value = std::string("rising");  // the maximum moves
  scale.help = N_("Spread of the scores: they lie between −scale and scale. Try 100 with naive.");
  Parameter tile = edge("tile", 256, 32, N_("Scores of a row per trip around the loop."));
  tile.min = 32, tile.choices = {"32", "64", "128", "256"}, tile.rungs = {"naive", "safe", "online"};
  return {rows,
          cols,
          scale,
          tile,
          choice("dtype", {"float", "bf16", "half"},
                 N_("Type of the scores and of the result; the arithmetic is in fp32.")),
          input};
}

LabInfo info() {
  LabInfo lab{"softmax",
              N_("softmax"),
              N_("How can a softmax start before it has seen the whole row?"),
              N_("Attention"),
              {},
              {},
              rule};
  lab.rungs = {
      {"naive", N_("the formula as it stands: large scores overflow"), "softmax/01_naive.cuh"},
      {"safe", N_("subtract the maximum: never too large, but three reads"), "softmax/02_safe.cuh"},
      {"online", N_("sum and maximum together, rescaled where the maximum moves: two reads"),
       "softmax/03_online.cuh"},
      {"fused", N_("the row stays in shared memory: one read"), "softmax/04_fused.cuh"},
      {"vectorized", N_("16 bytes per access, the row in registers, one barrier"),
       "softmax/05_vectorized.cuh"},
  };
  lab.parameters = parameters();
  lab.set_titles({{"rows", N_("rows")},
                  {"cols", N_("columns")},
                  {"scale", N_("spread of scores")},
                  {"tile", N_("scores per trip")},
                  {"dtype", N_("number type")},
                  {"input", N_("scores")}});
  lab.set_choice_titles("dtype", {{"float", N_("fp32")}, {"half", N_("fp16")}});
  lab.set_choice_titles("input", {{"random", N_("random")},
                                  {"equal", N_("all equal")},
                                  {"rising", N_("rising")},
                                  {"huge", N_("one huge")},
                                  {"one", N_("all but one −∞")},
                                  {"none", N_("all −∞")}});
  lab.set_adds({{"naive", N_("the formula as it is")},
                {"safe", N_("+ maximum: three reads")},
                {"online", N_("both at once: two reads")},
                {"fused", N_("+ row on chip: one read")},
                {"vectorized", N_("+ 16 bytes per lane")}});
  return lab;
}

Params sized(std::int64_t rows, std::int64_t cols, Params with = {}) {
  with["rows"] = rows, with["cols"] = cols;
  return with;
}

// The widest tile where there are tiles: most loads in flight.
Params timed(std::string_view rung, std::int64_t rows, std::int64_t cols) {
  Params params = sized(rows, cols);
  if (rung == "naive" || rung == "safe" || rung == "online") params["tile"] = std::int64_t{256};
  return params;
}

}  // namespace

const Ladder& softmax_ladder() {
  static const Ladder ladder = [] {
    Ladder l;
    l.info = info();
    l.buffers = buffers, l.fill = fill, l.check = check, l.warnings = warnings, l.bytes = bytes;
    l.flops = [](const Params&, std::string_view) { return 0.0; };
    l.figures = figures;
    l.l1_errors = {{"safe", 0.12}};  // it comes back to about as much as its share of the L1 holds
    l.reference = "cudaMemcpy";
    l.bench_params = [](std::string_view rung) { return timed(rung, 8192, 8192); };
    const Params half{{"dtype", std::string("half")}}, bf16{{"dtype", std::string("bf16")}},
        wide{{"tile", std::int64_t{128}}}, empty{{"input", std::string("none")}};
    l.validation_params = {sized(5, 1),          sized(8, 31),          sized(9, 33),        sized(8, 256),
                           sized(6, 1000, wide), sized(16, 1000, half), sized(7, 256, bf16), sized(4, 4096),
                           sized(64, 8192),      sized(3, 64, empty)};
    for (const RungInfo& rung : l.info.rungs)
      for (std::int64_t cols : {1024, 4096})
        l.recorded_params.push_back({rung.slug, timed(rung.slug, 8192, cols)});
    return l;
  }();
  return ladder;
}

}  // namespace lockstep
