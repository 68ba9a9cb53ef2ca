// out = 2 * in, element by element: the work is nothing, the index is all. A problem of one, two or three
// extents.
#include "kernels/experiments.hpp"

#include <cmath>

#include "kernels/threads/curves.hpp"

namespace lockstep {
namespace {

constexpr std::int64_t kMaxElements = std::int64_t{1} << 28;  // 1 GiB a buffer
constexpr std::int64_t kTimed = 1 << 26;                      // elements
constexpr std::int64_t kMaxThreads = 1024;                    // of a block
constexpr std::int64_t kMaxBlocksYZ = 65535;                  // of a grid, in y and in z
constexpr std::uint32_t kHash = 2654435761u;                  // Knuth, multiplicative hashing

std::int64_t extent(const Params& params, const char* name) {
  return params.contains(name) ? int_param(params, name) : 1;
}

std::int64_t elements(const Params& params) {
  return extent(params, "width") * extent(params, "height") * extent(params, "depth");
}

std::vector<BufferSpec> buffers(const Params& params, std::string_view rung) {
  std::vector<std::uint64_t> shape;
  if (rung == "three_d") shape.push_back(std::uint64_t(extent(params, "depth")));
  if (rung == "two_d" || rung == "three_d") shape.push_back(std::uint64_t(extent(params, "height")));
  shape.push_back(std::uint64_t(extent(params, "width")));
  return {{"in", shape, true}, {"out", shape, false}};
}

void fill(const Params&, std::string_view, std::span<const Bytes> buffers) {
  auto* in = reinterpret_cast<float*>(buffers[0].data());
  for (std::size_t i = 0; i < buffers[0].size() / sizeof(float); ++i)
    in[i] = float((std::uint32_t(i) * kHash) >> 8) * 0x1p-23f - 1;  // [-1, 1), every value exact
}

// Twice a float is exact. An element that no thread took keeps the poison, and NaN fails.
Check check(const Params& params, std::string_view, std::span<const ConstBytes> buffers) {
  const auto* in = reinterpret_cast<const float*>(buffers[0].data());
  const auto* out = reinterpret_cast<const float*>(buffers[1].data());
  Check result{true, 0, 0};
  for (std::int64_t i = 0; i < elements(params); ++i)
    result.max_error = larger_error(result.max_error, std::abs(double(out[i]) - 2 * double(in[i])));
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
  const std::vector<std::string> planes{"two_d", "three_d"}, slices{"three_d"};
  Parameter width =
      whole("width", kMaxElements, 1000, N_("elements"), N_("Elements along x: of the array, or of a row."));
  width.rung_defaults = {{"two_d", i(60)}, {"three_d", i(20)}, {"grid_stride", i(900)}};
  Parameter height = whole("height", kMaxElements, 40, N_("rows"), N_("Rows of the problem."));
  height.rung_defaults = {{"three_d", i(12)}};
  Parameter depth = whole("depth", kMaxElements, 6, N_("slices"), N_("Slices of the problem."));
  height.rungs = planes, depth.rungs = slices;
  Parameter block_x =
      whole("block_x", kMaxThreads, 64, N_("threads"), N_("Threads of a block along x: blockDim.x."));
  block_x.rung_defaults = {{"two_d", i(16)}, {"three_d", i(8)}};
  Parameter block_y =
      whole("block_y", kMaxThreads, 16, N_("threads"), N_("Threads of a block along y: blockDim.y."));
  block_y.rung_defaults = {{"three_d", i(4)}};
  Parameter block_z =
      whole("block_z", 64, 2, N_("threads"), N_("Threads of a block along z: blockDim.z, at most 64."));
  block_y.rungs = planes, block_z.rungs = slices;
  Parameter blocks = whole("blocks", 65536, 4, N_("blocks"), N_("Blocks of the grid: gridDim.x."));
  blocks.rungs = {"grid_stride"};
  return {width, height, depth, block_x, block_y, block_z, blocks};
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
  };
  lab.parameters = parameters();
  lab.set_titles({{"width", N_("width")},
                  {"height", N_("height")},
                  {"depth", N_("depth")},
                  {"block_x", N_("block size, x")},
                  {"block_y", N_("block size, y")},
                  {"block_z", N_("block size, z")},
                  {"blocks", N_("grid size")}});
  lab.set_adds({{"one_d", N_("an index and a mask")},
                {"two_d", N_("+ rows: two edges")},
                {"three_d", N_("+ slices: three edges")},
                {"grid_stride", N_("any grid, any length")}});
  return lab;
}

// --- settings ----------------------------------------------------------------------------------------------

struct Shape {
  std::int64_t width, height, depth, block_x, block_y, block_z, blocks;
};

// Of the rung's own parameters, where one is named.
Params params_of(const Shape& s, std::string_view rung = "") {
  Params all{{"width", s.width},     {"height", s.height},   {"depth", s.depth},  {"block_x", s.block_x},
             {"block_y", s.block_y}, {"block_z", s.block_z}, {"blocks", s.blocks}};
  if (rung.empty()) return all;
  Params own;
  for (const Parameter& p : parameters())
    if (p.rungs.empty() || std::find(p.rungs.begin(), p.rungs.end(), rung) != p.rungs.end())
      own[p.name] = all[p.name];
  return own;
}

// 2^26 elements, 256 MiB a buffer.
Params bench_params(std::string_view rung) {
  if (rung == "two_d") return params_of({8192, 8192, 1, 32, 8, 1, 1}, rung);
  if (rung == "three_d") return params_of({512, 512, 256, 32, 4, 2, 1}, rung);
  return params_of({kTimed, 1, 1, 256, 1, 1, 132 * 8}, rung);
}

// What block shapes cost at that size: whole warps, a lane too many, rows that are no whole warp.
std::vector<RecordedSetting> recorded() {
  std::vector<RecordedSetting> all;
  for (std::int64_t threads : {17, 32, 33, 64, 65, 128, 512, 1024})
    all.push_back({"one_d", params_of({kTimed, 1, 1, threads, 1, 1, 1}, "one_d")});
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
    l.bytes = [](const Params& params, std::string_view) {
      return 2.0 * sizeof(float) * double(elements(params));
    };
    l.flops = [](const Params&, std::string_view) { return 0.0; };  // one each: the bytes decide
    l.bench_params = bench_params;
    l.recorded_params = recorded();
    auto recorded_curves = std::make_shared<CurvesPlan>();
    recorded_curves->curves = curves;
    l.experiments = {recorded_curves};
    for (const Shape& s :
         {Shape{1, 1, 1, 1, 1, 1, 1}, Shape{31, 33, 3, 32, 2, 1, 1}, Shape{100, 17, 5, 17, 3, 2, 2},
          Shape{1000, 20, 9, 33, 1, 3, 7}, Shape{64, 64, 8, 8, 8, 8, 3}, Shape{333, 7, 2, 5, 40, 1, 50}})
      l.validation_params.push_back(params_of(s));
    l.validation_params.push_back({});
    return l;
  }();
  return ladder;
}

}  // namespace lockstep
