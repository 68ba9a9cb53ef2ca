// out[0] = in[0] + in[1] + ... + in[n - 1], or the largest of them, in fp32.
#include "kernels/experiments.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

namespace lockstep {

const Ladder& reduction_ladder();

namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 28;  // 1 GiB
constexpr std::int64_t kMostBlocks = 65536;

std::int64_t n_of(const Params& params) { return int_param(params, "n"); }

bool is_max(const Params& params) {
  const auto at = params.find("operation");
  return at != params.end() && std::get<std::string>(at->second) == "max";
}

// Elements that a block leaves behind: one; so many of them does the first launch leave.
std::int64_t partials(const Params& params, std::string_view rung) {
  if (params.contains("blocks")) return int_param(params, "blocks");
  const bool one_each = rung == "divergent" || rung == "strided" || rung == "sequential";
  const std::int64_t per_block = int_param(params, "threads") * (one_each ? 1 : 2);
  return (n_of(params) + per_block - 1) / per_block;
}

std::vector<BufferSpec> buffers(const Params& params, std::string_view rung) {
  const auto left = std::uint64_t(partials(params, rung));
  std::vector<BufferSpec> all{{"in", {std::uint64_t(n_of(params))}, true},
                              {"part", {left}, false},
                              {"rest", {(left + 63) / 64}, false},
                              {"out", {1}, false}};
  if (rung == "last_block" || rung == "bulk") all.push_back({"drawn", {1}, true, "unsigned", 4, true});
  return all;
}

// random: u in [0, 1), 24 bits. ones: 1, each. mixed: ± u 2^e with e random from -12 to 12, so that much is
// lost and cancels. A counter that blocks draw from starts at 0.
void fill(const Params& params, std::string_view, std::span<const Bytes> buffers) {
  const std::string values = std::get<std::string>(params.at("values"));
  std::mt19937 random(20261125);
  auto* in = reinterpret_cast<float*>(buffers[0].data());
  for (std::size_t i = 0; i < buffers[0].size() / sizeof(float); ++i) {
    const std::uint32_t bits = std::uint32_t(random());
    const float u = float(bits >> 8) * 0x1p-24f;
    in[i] = values == "ones"    ? 1.0f
            : values == "mixed" ? std::ldexp(bits & 1 ? u : -u, int(bits >> 1 & 127) % 25 - 12)
                                : u;
  }
  if (buffers.size() > 4) std::memset(buffers[4].data(), 0, buffers[4].size());
}

// In double, thousands at a time: 2^28 terms err by less than 2^-38 of the sum of their magnitudes.
struct Exact {
  double sum = 0, magnitude = 0, largest = -INFINITY;
};
Exact exact(ConstBytes bytes) {
  const auto* in = reinterpret_cast<const float*>(bytes.data());
  const std::size_t n = bytes.size() / sizeof(float);
  Exact all;
  for (std::size_t first = 0; first < n; first += 4096) {
    double sum = 0, magnitude = 0;
    for (std::size_t i = first; i < std::min(n, first + 4096); ++i) {
      sum += in[i], magnitude += std::abs(double(in[i]));
      all.largest = std::max(all.largest, double(in[i]));
    }
    all.sum += sum, all.magnitude += magnitude;
  }
  return all;
}

// A term passes through as many additions as its thread makes, and those of the tree behind it; each rounds
// by half a unit at most (Higham, Accuracy and Stability of Numerical Algorithms, 4.2). Atomics of a grid
// come one after another.
double tolerance(const Params& params, std::string_view rung) {
  double additions = 2 + 11;  // of a thread, of a tree over 1024
  if (const std::int64_t blocks = partials(params, rung); params.contains("blocks")) {
    const double threads = double(int_param(params, "threads"));
    additions += double(n_of(params)) / (threads * double(blocks)) + 11 + double(blocks);
  } else {
    additions *= std::max(1.0, std::log2(double(n_of(params))) / 6);  // launch after launch
  }
  return additions * 0x1p-24;
}

// |error| over the sum of the magnitudes; a maximum is exact. NaN fails.
Check check(const Params& params, std::string_view rung, std::span<const ConstBytes> buffers) {
  const Exact want = exact(buffers[0]);
  float got;
  std::memcpy(&got, buffers[3].data(), sizeof got);
  Check result{true, 0, is_max(params) ? 0 : tolerance(params, rung)};
  const double error = is_max(params) ? std::abs(double(got) - want.largest)
                                      : std::abs(double(got) - want.sum) / std::max(want.magnitude, 0x1p-126);
  result.max_error = larger_error(0, error);
  result.pass = result.max_error <= result.tolerance;
  return result;
}

// What one thread would give that adds them in their order, by the same measure; the sum as it came out, and
// as it is.
Metrics figures(const Run& run) {
  Metrics all;
  if (is_max(run.request.params)) return all;
  const auto bytes_of = [&](std::uint16_t view) -> ConstBytes {
    for (const Buffer& buffer : run.buffers)
      if (buffer.view == view) return buffer.bytes;
    return {};
  };
  const ConstBytes in = bytes_of(0), out = bytes_of(3);
  if (in.size() != std::size_t(n_of(run.request.params)) * sizeof(float) || out.size() != sizeof(float))
    return all;
  const Exact want = exact(in);
  float in_order = 0, got;
  for (std::size_t i = 0; i < in.size() / sizeof(float); ++i)
    in_order += reinterpret_cast<const float*>(in.data())[i];
  std::memcpy(&got, out.data(), sizeof got);
  all["sum"] = double(got), all["exact_sum"] = want.sum;
  all["error_in_order"] = std::abs(double(in_order) - want.sum) / std::max(want.magnitude, 0x1p-126);
  return all;
}

// --- the table ---------------------------------------------------------------------------------------------

Parameter whole(const char* name, std::int64_t max, std::int64_t start, const char* unit, const char* help) {
  Parameter p;
  p.name = name, p.min = 1, p.max = double(max), p.default_value = start, p.unit = unit, p.help = help;
  return p;
}

Parameter choice(const char* name, std::vector<std::string> words, const char* help) {
  Parameter p;
  p.name = name, p.type = "choice", p.default_value = words.front(), p.choices = std::move(words);
  p.help = help;
  return p;
}

const std::vector<std::string> kGrids{"many", "shuffles", "vectorized", "atomic", "last_block", "bulk"};

std::vector<Parameter> parameters() {
  Parameter n = whole("n", kMost, 1000, N_("elements"), N_("Elements of the array.")),
            threads = whole("threads", 1024, 128, "", N_("Threads of a block: a power of two.")),
            blocks = whole("blocks", kMostBlocks, 2, N_("blocks"), N_("Blocks of the grid: gridDim.x."));
  threads.min = 64, threads.choices = {"64", "128", "256", "512", "1024"};
  blocks.rungs = kGrids;
  for (const std::string& rung : kGrids) n.rung_defaults[rung] = Value{std::int64_t{4000}};
  n.rung_defaults["bulk"] = Value{std::int64_t{8200}};  // sixteen chunks, so that a ring of four goes round
  return {
      n, threads, blocks,
      choice("operation", {"sum", "max"}, N_("What the elements are reduced by: their sum, or the largest.")),
      choice("values", {"random", "ones", "mixed"},
             N_("random from 0 to 1; all ones; of both signs, from 2^−12 to 2^12, so that much cancels."))};
}

LabInfo info() {
  LabInfo lab{
      "reduction", N_("reduction"), N_("How do a million threads agree on one sum?"), N_("Moving bytes"), {},
      {}};
  lab.rungs = {
      {"divergent", N_("neighbours first: half the lanes of every warp idle"), "reduction/01_divergent.cuh"},
      {"strided", N_("the threads side by side, their elements apart: banks collide"),
       "reduction/02_strided.cuh"},
      {"sequential", N_("the far half onto the near half: no bank twice"), "reduction/03_sequential.cuh"},
      {"first_add", N_("two loads and an addition on the way in"), "reduction/04_first_add.cuh"},
      {"last_warp", N_("the last warp needs no barrier of the block"), "reduction/05_last_warp.cuh"},
      {"historic", N_("the same without __syncwarp(): a race today"), "reduction/06_historic.cuh"},
      {"unrolled", N_("the block's size at compile time: no loop is left"), "reduction/07_unrolled.cuh"},
      {"many", N_("many elements per thread, then one small tree"), "reduction/08_many.cuh"},
      {"shuffles", N_("lanes hand sums on out of registers"), "reduction/09_shuffles.cuh"},
      {"vectorized", N_("16 bytes per load"), "reduction/10_vectorized.cuh"},
      {"atomic", N_("one pass: each block adds to the result"), "reduction/11_atomic.cuh"},
      {"last_block", N_("one pass, always in the same order: the last block adds up"),
       "reduction/12_last_block.cuh"},
      {"bulk", N_("the copy engine brings chunks: no register holds what is on its way"),
       "reduction/13_bulk.cuh", 90},
  };
  lab.parameters = parameters();
  lab.set_titles({{"n", N_("array length")},
                  {"threads", N_("threads per block")},
                  {"blocks", N_("grid size")},
                  {"operation", N_("operation")},
                  {"values", N_("values")}});
  lab.set_choice_titles("operation", {{"sum", N_("sum")}, {"max", N_("maximum")}});
  lab.set_choice_titles("values",
                        {{"random", N_("random")}, {"ones", N_("all ones")}, {"mixed", N_("mixed")}});
  lab.set_adds({{"divergent", N_("neighbours first")},
                {"strided", N_("+ whole warps idle")},
                {"sequential", N_("+ no bank twice")},
                {"first_add", N_("+ add while loading")},
                {"last_warp", N_("+ last warp alone")},
                {"historic", N_("a race today")},
                {"unrolled", N_("+ no loop left")},
                {"many", N_("+ many per thread")},
                {"shuffles", N_("+ out of registers")},
                {"vectorized", N_("+ 16 bytes per lane")},
                {"atomic", N_("+ one pass, atomics")},
                {"last_block", N_("+ fixed order")},
                {"bulk", N_("+ the copy engine")}});
  return lab;
}

Params sized(std::int64_t n, std::int64_t threads, std::int64_t blocks, Params with = {}) {
  with["n"] = n, with["threads"] = threads, with["blocks"] = blocks;
  return with;
}

bool has_grid(std::string_view rung) { return std::find(kGrids.begin(), kGrids.end(), rung) != kGrids.end(); }

// As many blocks as there is work for, up to enough to fill the SMs' seats four times; of `bulk`, whose
// blocks have 32 KB on their way each, so many that they run at once.
constexpr std::int64_t kBulkPerSm = 4;
Params timed(std::string_view rung, std::int64_t n) {
  if (!has_grid(rung)) return {{"n", n}, {"threads", std::int64_t{256}}};
  const std::int64_t most = 132 * (rung == "bulk" ? kBulkPerSm : 16);
  return sized(n, 512, std::clamp<std::int64_t>(n / (512 * 8), 1, most));
}

// From where a launch is all the time to where memory is.
constexpr std::int64_t kRecorded[] = {1 << 10, 1 << 14, 1 << 17, 1 << 20, 1 << 22, 1 << 24, 1 << 26};

// Throughput and error over the size of the array, of runs that are timed as the largest one is.
CurvesEvidence curves(std::span<const Run> recordings) {
  CurvesEvidence all;
  for (const Run& run : recordings) {
    const std::int64_t n = n_of(run.request.params);
    const auto complete =
        complete_params(reduction_ladder().info, run.request.rung, timed(run.request.rung, n));
    if (!run.time || run.time->median_ms <= 0 || !complete || *complete != run.request.params) continue;
    all.curves[{run.request.rung, "n", "gb_per_s"}][n] =
        double(n) * sizeof(float) / run.time->median_ms * 1e-6;
    if (n == kMost) all.curves[{run.request.rung, "n", "error"}][n] = run.check.max_error;
  }
  return all;
}

}  // namespace

const Ladder& reduction_ladder() {
  static const Ladder ladder = [] {
    Ladder l;
    l.info = info();
    l.buffers = buffers, l.fill = fill, l.check = check, l.figures = figures;
    l.bytes = [](const Params& params, std::string_view) { return double(n_of(params)) * sizeof(float); };
    l.flops = [](const Params&, std::string_view) { return 0.0; };  // one per element: the bytes decide
    l.racy_rungs = {"historic"}, l.order_rungs = {"last_block", "bulk"};
    l.unit_rungs = {"bulk"};
    l.compiled_params = {"threads", "operation"};
    l.reference = "CUB";
    l.bench_params = [](std::string_view rung) { return timed(rung, kMost); };
    for (const RungInfo& rung : l.info.rungs)
      for (const std::int64_t n : kRecorded) l.recorded_params.push_back({rung.slug, timed(rung.slug, n)});
    auto recorded_curves = std::make_shared<CurvesPlan>();
    recorded_curves->curves = curves;
    l.experiments = {recorded_curves};
    const Params max{{"operation", std::string("max")}}, mixed{{"values", std::string("mixed")}},
        both{{"operation", std::string("max")}, {"values", std::string("mixed")}};
    l.validation_params = {sized(1, 64, 1),
                           sized(31, 64, 3),
                           sized(33, 128, 1, max),
                           sized(1000, 128, 2),
                           sized(1000, 1024, 7),
                           sized(4099, 256, 5, both),
                           sized(100003, 512, 33, mixed),
                           sized((1 << 20) + 17, 256, 264)};
    return l;
  }();
  return ladder;
}

}  // namespace lockstep
