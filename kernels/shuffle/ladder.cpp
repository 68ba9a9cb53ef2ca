// Sums and scans of int32: over a warp, a block, the whole array. Wrapping sums are exact, in any order.
#include "kernels/experiments.hpp"

#include <algorithm>
#include <random>

#include "kernels/shuffle/sizes.hpp"

namespace lockstep {

const Ladder& shuffle_ladder();

namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 28;  // 1 GiB

std::int64_t n_of(const Params& params) { return int_param(params, "n"); }
std::int64_t threads_of(const Params& params) {
  return params.contains("threads") ? int_param(params, "threads") : kManyThreads;
}

bool looks_back(std::string_view rung) { return rung == "look_back" || rung == "window" || rung == "many"; }
bool over_array(std::string_view rung) { return looks_back(rung) || rung == "three_launches"; }
bool sums_up(std::string_view rung) { return rung == "shared" || rung == "down" || rung == "butterfly"; }

// Elements that one result is of, at most: of a warp, a block, all.
std::int64_t segment(const Params& params, std::string_view rung) {
  if (over_array(rung)) return n_of(params);
  return rung == "block" ? threads_of(params) : 32;
}

std::int64_t tiles(const Params& params, std::string_view rung) {
  const std::int64_t each = rung == "many" ? kManyTile : threads_of(params);
  return (n_of(params) + each - 1) / each;
}

std::vector<BufferSpec> buffers(const Params& params, std::string_view rung) {
  const auto n = std::uint64_t(n_of(params)), blocks = std::uint64_t(tiles(params, rung));
  std::vector<BufferSpec> all{{"in", {n}, true, "int"}, {"out", {n}, false, "int"}};
  if (rung == "three_launches") all.push_back({"sums", {blocks}, false, "int"});
  if (looks_back(rung)) {
    all.push_back({"words", {blocks}, false, "u64", 8});
    all.push_back({"drawn", {1}, false, "unsigned"});
  }
  return all;
}

// Digits from 0 to 9, or all ones.
void fill(const Params& params, std::string_view, std::span<const Bytes> buffers) {
  const bool ones = std::get<std::string>(params.at("values")) == "ones";
  std::mt19937 random(20261127);
  auto* in = reinterpret_cast<std::int32_t*>(buffers[0].data());
  const std::int64_t n = n_of(params);
  for (std::int64_t i = 0; i < n; ++i) in[i] = ones ? 1 : std::int32_t((random() >> 8) % 10);
}

// Every element, exactly.
Check check(const Params& params, std::string_view rung, std::span<const ConstBytes> buffers) {
  const auto* in = reinterpret_cast<const std::int32_t*>(buffers[0].data());
  const auto* out = reinterpret_cast<const std::int32_t*>(buffers[1].data());
  const std::int64_t n = n_of(params), each = segment(params, rung);
  Check result{true, 0, 0};
  for (std::int64_t first = 0; first < n; first += each) {
    const std::int64_t end = std::min(n, first + each);
    std::uint32_t sum = 0;
    if (sums_up(rung))
      for (std::int64_t i = first; i < end; ++i) sum += std::uint32_t(in[i]);
    for (std::int64_t i = first; i < end; ++i) {
      if (!sums_up(rung)) sum += std::uint32_t(in[i]);
      result.max_error = std::max(result.max_error, std::abs(double(out[i]) - double(std::int32_t(sum))));
    }
  }
  result.pass = result.max_error == 0;
  return result;
}

// --- the table ---------------------------------------------------------------------------------------------

const std::vector<std::string> kWithThreads{"shared", "down",           "butterfly", "scan_shared", "scan",
                                            "block",  "three_launches", "look_back", "window"};

std::vector<Parameter> parameters() {
  Parameter n;
  n.name = "n", n.min = 1, n.max = double(kMost), n.default_value = std::int64_t{64}, n.unit = N_("elements");
  n.help = N_("Elements of the array.");
  n.rung_defaults = {{"block", Value{std::int64_t{256}}},
                     {"three_launches", Value{std::int64_t{1000}}},
                     {"look_back", Value{std::int64_t{1000}}},
                     {"window", Value{std::int64_t{4000}}},
                     {"many", Value{std::int64_t{100'000}}}};
  Parameter threads;
  threads.name = "threads", threads.min = 32, threads.max = 1024, threads.default_value = std::int64_t{64};
  threads.choices = {"32", "64", "128", "256", "512", "1024"}, threads.help = N_("Threads of a block.");
  threads.rungs = kWithThreads, threads.rung_defaults = {{"block", Value{std::int64_t{128}}}};
  Parameter values;
  values.name = "values", values.type = "choice", values.choices = {"digits", "ones"};
  values.default_value = std::string("digits");
  values.help = N_("Random digits, 0 to 9; or all ones, so that a scan counts.");
  return {n, threads, values};
}

LabInfo info() {
  LabInfo lab{"shuffle", N_("shuffle"), N_("How do lanes talk without memory?"), N_("Moving bytes"), {}, {}};
  lab.rungs = {
      {"shared", N_("the sum of a warp through shared memory"), "shuffle/01_shared.cuh"},
      {"down", N_("out of registers: five shuffles, and one that hands it out"), "shuffle/02_down.cuh"},
      {"butterfly", N_("partners swap: every lane has the sum at once"), "shuffle/03_butterfly.cuh"},
      {"scan_shared", N_("the sum of all before you, through shared memory"), "shuffle/04_scan_shared.cuh"},
      {"scan", N_("the same out of registers: lanes look up by 1, 2, 4, 8, 16"), "shuffle/05_scan.cuh"},
      {"block", N_("a block: warps leave their sums in shared memory"), "shuffle/06_block.cuh"},
      {"three_launches", N_("the whole array: three launches, read twice"), "shuffle/07_three_launches.cuh"},
      {"look_back", N_("one pass: a block looks back, tile after tile"), "shuffle/08_look_back.cuh"},
      {"window", N_("a warp looks back, 32 tiles at once"), "shuffle/09_window.cuh"},
      {"many", N_("32 elements per thread, 16 bytes per load"), "shuffle/10_many.cuh"},
  };
  lab.parameters = parameters();
  lab.set_titles({{"n", N_("array length")}, {"threads", N_("threads per block")}, {"values", N_("values")}});
  lab.set_choice_titles("values", {{"digits", N_("digits")}, {"ones", N_("all ones")}});
  // Each says what its time is of: sums and scans of a warp, of a block, of the whole array.
  lab.set_adds({{"shared", N_("a warp's sum, by memory")},
                {"down", N_("a warp's sum, by shuffles")},
                {"butterfly", N_("a warp's sum, by swaps")},
                {"scan_shared", N_("a warp's scan, by memory")},
                {"scan", N_("a warp's scan, by shuffles")},
                {"block", N_("a block's scan")},
                {"three_launches", N_("the array: three launches")},
                {"look_back", N_("the array: one pass")},
                {"window", N_("the array: 32 tiles a look")},
                {"many", N_("the array: 32 per thread")}});
  return lab;
}

Params sized(std::int64_t n, std::int64_t threads, const char* values = "digits") {
  return {{"n", n}, {"threads", threads}, {"values", std::string(values)}};
}

// As its rung is timed, at a size.
Params timed(std::string_view rung, std::int64_t n) {
  Params params{{"n", n}};
  if (rung != "many") params["threads"] = std::int64_t{over_array(rung) ? 1024 : 256};
  return params;
}

constexpr std::int64_t kRecorded[] = {1 << 10, 1 << 14, 1 << 17, 1 << 20, 1 << 22, 1 << 24, 1 << 26};

CurvesEvidence curves(std::span<const Run> recordings) {
  CurvesEvidence all;
  for (const Run& run : recordings) {
    const std::int64_t n = n_of(run.request.params);
    const auto complete =
        complete_params(shuffle_ladder().info, run.request.rung, timed(run.request.rung, n));
    if (!run.time || run.time->median_ms <= 0 || !complete || *complete != run.request.params) continue;
    all.curves[{run.request.rung, "n", "gb_per_s"}][n] = 8.0 * double(n) / run.time->median_ms * 1e-6;
  }
  return all;
}

}  // namespace

const Ladder& shuffle_ladder() {
  static const Ladder ladder = [] {
    Ladder l;
    l.info = info();
    l.buffers = buffers, l.fill = fill, l.check = check;
    l.bytes = [](const Params& params, std::string_view) { return 8.0 * double(n_of(params)); };
    l.flops = [](const Params&, std::string_view) { return 0.0; };
    l.waiting_rungs = {"look_back", "window", "many"};
    l.l1_errors = {{"look_back", 0.55}, {"window", 0.50}};  // a GPU's blocks ask more often
    l.reference = "cudaMemcpy";
    for (const RungInfo& rung : l.info.rungs)
      if (over_array(rung.slug)) l.rung_references[rung.slug] = "CUB scan";
    l.bench_params = [](std::string_view rung) { return timed(rung, kMost); };
    for (const RungInfo& rung : l.info.rungs)
      for (const std::int64_t n : kRecorded)
        if (over_array(rung.slug)) l.recorded_params.push_back({rung.slug, timed(rung.slug, n)});
    auto recorded_curves = std::make_shared<CurvesPlan>();
    recorded_curves->curves = curves;
    l.experiments = {recorded_curves};
    l.validation_params = {sized(1, 32),          sized(31, 64),
                           sized(33, 32, "ones"), sized(1000, 128),
                           sized(1000, 1024),     sized(4099, 256, "ones"),
                           sized(100003, 512),    sized((1 << 20) + 17, 256)};
    return l;
  }();
  return ladder;
}

}  // namespace lockstep
