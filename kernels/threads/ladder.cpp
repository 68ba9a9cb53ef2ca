// out = 2 * in, element by element: the work is nothing, the index is all. A problem of one, two or three
// extents. Two rungs beside which Triton's program of the same problem stands: a sum and a matrix product.
#include "kernels/experiments.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/threads/curves.hpp"

namespace lockstep {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 28;  // 1 GiB a buffer
constexpr std::int64_t kTimed = 1 << 26;                      // elements
constexpr std::int64_t kMaxThreads = 1024;                    // of a block
constexpr std::int64_t kMaxBlocksYZ = 65535;                  // of a grid, in y and in z
constexpr std::uint32_t kHash = 2654435761u;                  // Knuth, multiplicative hashing
constexpr std::int64_t kMaxInner = 4096;                      // columns of the product's first matrix

std::int64_t extent(const Params& params, const char* name) {
  return params.contains(name) ? int_param(params, name) : 1;
}

std::int64_t elements(const Params& params) {
  return extent(params, "width") * extent(params, "height") * extent(params, "depth");
}

bool has_two_inputs(std::string_view rung) { return rung == "vector_add" || rung == "tile_product"; }

std::vector<BufferSpec> buffers(const Params& params, std::string_view rung) {
  const auto e = [&](const char* name) { return std::uint64_t(extent(params, name)); };
  if (rung == "tile_product")
    return {{"a", {e("height"), e("inner")}, true},
            {"b", {e("inner"), e("width")}, true},
            {"out", {e("height"), e("width")}, false}};
  if (rung == "vector_add")
    return {{"a", {e("width")}, true}, {"b", {e("width")}, true}, {"out", {e("width")}, false}};
  std::vector<std::uint64_t> shape;
  if (rung == "three_d") shape.push_back(std::uint64_t(extent(params, "depth")));
  if (rung == "two_d" || rung == "three_d") shape.push_back(std::uint64_t(extent(params, "height")));
  shape.push_back(std::uint64_t(extent(params, "width")));
  return {{"in", shape, true}, {"out", shape, false}};
}

void fill(const Params&, std::string_view rung, std::span<const Bytes> buffers) {
  for (std::size_t b = 0; b < (has_two_inputs(rung) ? 2 : 1); ++b) {
    auto* in = reinterpret_cast<float*>(buffers[b].data());
    for (std::size_t i = 0; i < buffers[b].size() / sizeof(float); ++i)
      in[i] = float((std::uint32_t(i + 977 * b) * kHash) >> 8) * 0x1p-23f - 1;  // [-1, 1), every value exact
  }
}

const float* floats(ConstBytes bytes) { return reinterpret_cast<const float*>(bytes.data()); }

// Any order of its sums is allowed: with factors below one, k of them err by k * k roundings at most.
Check check_product(const Params& params, std::span<const ConstBytes> buffers) {
  const float *a = floats(buffers[0]), *b = floats(buffers[1]), *out = floats(buffers[2]);
  const std::int64_t width = extent(params, "width"), inner = extent(params, "inner");
  Check result{true, 0, double(inner) * double(inner) * 0x1p-24};
  std::vector<double> row(static_cast<std::size_t>(width));
  for (std::int64_t y = 0; y < extent(params, "height"); ++y) {
    std::fill(row.begin(), row.end(), 0);
    for (std::int64_t k = 0; k < inner; ++k)
      for (std::int64_t x = 0; x < width; ++x)
        row[std::size_t(x)] += double(a[y * inner + k]) * double(b[k * width + x]);
    for (std::int64_t x = 0; x < width; ++x)
      result.max_error =
          larger_error(result.max_error, std::abs(double(out[y * width + x]) - row[std::size_t(x)]));
  }
  result.pass = result.max_error <= result.tolerance;
  return result;
}

// Twice a float is exact, and so is the sum of two of these. An element that no thread took keeps the poison,
// and NaN fails.
Check check(const Params& params, std::string_view rung, std::span<const ConstBytes> buffers) {
  if (rung == "tile_product") return check_product(params, buffers);
  const float *a = floats(buffers[0]), *b = floats(buffers[has_two_inputs(rung) ? 1 : 0]),
              *out = floats(buffers.back());
  Check result{true, 0, 0};
  for (std::int64_t i = 0; i < elements(params); ++i)
    result.max_error =
        larger_error(result.max_error, std::abs(double(out[i]) - (double(a[i]) + double(b[i]))));
  result.pass = result.max_error <= result.tolerance;
  return result;
}

// --- the table ---------------------------------------------------------------------------------------------

Status too_many(const char* what, std::int64_t given, std::int64_t most) {
  return bad_input(what, {std::to_string(given), std::to_string(most)});
}

Status rule(std::string_view, const Params& params) {
  const std::int64_t threads =
      extent(params, "block_x") * extent(params, "block_y") * extent(params, "block_z");
  if (threads > kMaxThreads)
    return too_many(N_("block_x * block_y * block_z = {0} threads: a block has at most {1}"), threads,
                    kMaxThreads);
  if (elements(params) > kMaxElements)
    return too_many(N_("width * height * depth = {0} elements: at most {1}"), elements(params), kMaxElements);
  for (const auto& [problem, block] : {std::pair{"height", "block_y"}, std::pair{"depth", "block_z"}}) {
    const std::int64_t across = extent(params, block);
    const std::int64_t blocks = (extent(params, problem) + across - 1) / across;
    if (blocks > kMaxBlocksYZ)
      return too_many(N_("{0} blocks in y or z: a grid has at most {1} there"), blocks, kMaxBlocksYZ);
  }
  return Unit{};
}

Parameter whole(const char* name, std::int64_t max, std::int64_t start, const char* unit, const char* help) {
  Parameter p;
  p.name = name, p.min = 1, p.max = double(max), p.default_value = start, p.unit = unit, p.help = help;
  return p;
}

std::vector<Parameter> parameters() {
  const auto i = [](std::int64_t x) { return Value{x}; };
  const std::vector<std::string> planes{"two_d", "three_d", "tile_product"}, slices{"three_d"};
  Parameter width =
      whole("width", kMaxElements, 1000, N_("elements"), N_("Elements along x: of the array, or of a row."));
  width.rung_defaults = {
      {"two_d", i(60)}, {"three_d", i(20)}, {"grid_stride", i(900)}, {"tile_product", i(40)}};
  Parameter height = whole("height", kMaxElements, 40, N_("rows"), N_("Rows of the problem."));
  height.rung_defaults = {{"three_d", i(12)}, {"tile_product", i(24)}};
  Parameter depth = whole("depth", kMaxElements, 6, N_("slices"), N_("Slices of the problem."));
  height.rungs = planes, depth.rungs = slices;
  Parameter block_x =
      whole("block_x", kMaxThreads, 64, N_("threads"), N_("Threads of a block along x: blockDim.x."));
  block_x.rung_defaults = {
      {"two_d", i(16)}, {"three_d", i(8)}, {"vector_add", i(256)}, {"tile_product", i(16)}};
  Parameter block_y =
      whole("block_y", kMaxThreads, 16, N_("threads"), N_("Threads of a block along y: blockDim.y."));
  block_y.rung_defaults = {{"three_d", i(4)}};
  Parameter block_z =
      whole("block_z", 64, 2, N_("threads"), N_("Threads of a block along z: blockDim.z, at most 64."));
  block_y.rungs = planes, block_z.rungs = slices;
  Parameter blocks = whole("blocks", 65536, 4, N_("blocks"), N_("Blocks of the grid: gridDim.x."));
  blocks.rungs = {"grid_stride"};
  Parameter inner = whole("inner", kMaxInner, 8, N_("products"),
                          N_("Columns of a and rows of b: so many products are in each sum."));
  inner.rungs = {"tile_product"};
  Parameter program;
  program.name = "program", program.type = "int";
  program.choices = {"128", "256", "512", "1024", "2048", "4096"};
  program.min = 128, program.max = 4096, program.default_value = std::int64_t{1024};
  program.help = N_("Elements that one Triton program takes, beside the kernel.");
  program.rungs = {"vector_add"}, program.model_only = true;
  return {width, height, depth, block_x, block_y, block_z, blocks, inner, program};
}

LabInfo info() {
  LabInfo lab{"threads", N_("threads"), N_("Which thread computes which element?"), N_("The machine"), {},
              {},        rule};
  lab.rungs = {
      {"one_d", N_("a thread per element, and a mask at the end"), "threads/01_one_d.cuh"},
      {"two_d", N_("rows and columns: two indices, two edges"), "threads/02_two_d.cuh"},
      {"three_d", N_("slices as well: three indices, three edges"), "threads/03_three_d.cuh"},
      {"grid_stride", N_("any grid: each thread strides by the threads of the grid"),
       "threads/04_grid_stride.cuh"},
      {"vector_add", N_("two arrays in: the program that others write without threads"),
       "threads/05_vector_add.cuh"},
      {"tile_product", N_("a tile of a matrix product: a thread per element, or a program per tile"),
       "threads/06_tile_product.cuh"},
  };
  lab.parameters = parameters();
  lab.set_titles({{"width", N_("width")},
                  {"height", N_("height")},
                  {"depth", N_("depth")},
                  {"block_x", N_("block size, x")},
                  {"block_y", N_("block size, y")},
                  {"block_z", N_("block size, z")},
                  {"blocks", N_("grid size")},
                  {"inner", N_("inner extent")},
                  {"program", N_("elements per program")}});
  lab.set_adds({{"one_d", N_("an index and a mask")},
                {"two_d", N_("+ rows: two edges")},
                {"three_d", N_("+ slices: three edges")},
                {"grid_stride", N_("any grid, any length")},
                {"vector_add", N_("beside Triton: a + b")},
                {"tile_product", N_("beside Triton: a tile")}});
  return lab;
}

// --- settings ----------------------------------------------------------------------------------------------

struct Shape {
  std::int64_t width, height, depth, block_x, block_y, block_z, blocks, inner = 8;
};

// Of the rung's own parameters, where one is named.
Params params_of(const Shape& s, std::string_view rung = "") {
  Params all{{"width", s.width},     {"height", s.height},   {"depth", s.depth},   {"block_x", s.block_x},
             {"block_y", s.block_y}, {"block_z", s.block_z}, {"blocks", s.blocks}, {"inner", s.inner}};
  if (rung.empty()) return all;
  Params own;
  for (const Parameter& p : parameters())
    if (!p.model_only &&
        (p.rungs.empty() || std::find(p.rungs.begin(), p.rungs.end(), rung) != p.rungs.end()))
      own[p.name] = all[p.name];
  return own;
}

// 2^26 elements, 256 MiB a buffer.
Params bench_params(std::string_view rung) {
  if (rung == "two_d") return params_of({8192, 8192, 1, 32, 8, 1, 1}, rung);
  if (rung == "three_d") return params_of({512, 512, 256, 32, 4, 2, 1}, rung);
  if (rung == "tile_product") return params_of({1024, 1024, 1, 32, 8, 1, 1, 1024}, rung);
  return params_of({kTimed, 1, 1, 256, 1, 1, 132 * 8}, rung);
}

// What block shapes cost at that size: whole warps, a lane too many, rows that are no whole warp.
std::vector<RecordedSetting> recorded() {
  std::vector<RecordedSetting> all;
  for (std::int64_t threads : {17, 32, 33, 64, 65, 128, 512, 1024})
    all.push_back({"one_d", params_of({kTimed, 1, 1, threads, 1, 1, 1}, "one_d")});
  for (std::int64_t threads : {64, 128, 512, 1024})
    all.push_back({"vector_add", params_of({kTimed, 1, 1, threads, 1, 1, 1}, "vector_add")});
  for (const auto& [x, y] : {std::pair{1, 256}, std::pair{4, 64}, std::pair{8, 32}, std::pair{16, 16},
                             std::pair{17, 15}, std::pair{33, 7}, std::pair{64, 4}, std::pair{256, 1}})
    all.push_back({"two_d", params_of({8192, 8192, 1, x, y, 1, 1}, "two_d")});
  for (std::int64_t blocks : {16, 132, 132 * 2, 132 * 4, 132 * 16, 132 * 64})
    all.push_back({"grid_stride", params_of({kTimed, 1, 1, 256, 1, 1, blocks}, "grid_stride")});
  return all;
}

// What the recordings took, over the blocks of a grid, or over a block's width for each of its heights.
CurvesEvidence curves(std::span<const Run> recordings) {
  CurvesEvidence all;
  for (const Run& run : recordings) {
    const Params& p = run.request.params;
    if (!run.time || run.time->median_ms <= 0 || elements(p) != kTimed || extent(p, "depth") > 1) continue;
    const bool grids = p.contains("blocks");
    if (grids && extent(p, "block_x") != 256) continue;
    const std::string over = grids ? std::string("blocks") : width_curve(extent(p, "block_y"));
    all.curves[{run.request.rung, over, "ms"}][extent(p, grids ? "blocks" : "block_x")] = run.time->median_ms;
  }
  return all;
}

}  // namespace

const Ladder& threads_ladder() {
  static const Ladder ladder = [] {
    Ladder l;
    l.info = info();
    l.buffers = buffers, l.fill = fill, l.check = check;
    l.bytes = [](const Params& params, std::string_view rung) {
      double all = 0;
      for (const BufferSpec& buffer : buffers(params, rung)) all += double(buffer.bytes());
      return all;
    };
    // One each, and the bytes decide; a product has more.
    l.flops = [](const Params& params, std::string_view rung) {
      return rung == "tile_product" ? 2.0 * double(elements(params)) * double(extent(params, "inner")) : 0.0;
    };
    l.bench_params = bench_params;
    l.l1_errors = {
        {"tile_product", 0.30}};  // blocks beside each other read the same rows, one SM brings them once
    l.recorded_params = recorded();
    auto recorded_curves = std::make_shared<CurvesPlan>();
    recorded_curves->curves = curves;
    l.experiments = {recorded_curves};
    for (const Shape& s :
         {Shape{1, 1, 1, 1, 1, 1, 1, 1}, Shape{31, 33, 3, 32, 2, 1, 1, 17}, Shape{100, 17, 5, 17, 3, 2, 2},
          Shape{1000, 20, 9, 33, 1, 3, 7}, Shape{64, 64, 8, 8, 8, 8, 3}, Shape{333, 7, 2, 5, 40, 1, 50}})
      l.validation_params.push_back(params_of(s));
    l.validation_params.push_back({});
    return l;
  }();
  return ladder;
}

}  // namespace lockstep
