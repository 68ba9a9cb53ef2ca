// The same arithmetic behind a branch whose condition differs by lane, by warp, by block, by the data; loops
// and returns that differ by lane. What does a warp issue, and for how many of its lanes?
#include "kernels/experiments.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "app/model/issue.hpp"
#include "app/model/measured_evidence.hpp"
#include "app/model/portable.hpp"
#include "kernels/divergence/sizes.hpp"

namespace lockstep {
namespace {

constexpr std::int64_t kMost = 1 << 24, kMostRounds = 64, kMostWays = 32;
constexpr std::int64_t kBlocksAlone = 132;  // of the measured grids: on an H200 each has an SM of its own

std::int64_t n_of(const Params& params) { return int_param(params, "n"); }
std::int64_t threads_of(const Params& params) { return int_param(params, "threads"); }
std::int64_t rounds_of(const Params& params) { return int_param(params, "rounds"); }
std::int64_t ways_of(const Params& params) { return params.contains("ways") ? int_param(params, "ways") : 1; }
float share_of(const Params& params) {
  return params.contains("share") ? float(int_param(params, "share")) / 100 : 0;
}

std::vector<BufferSpec> buffers(const Params& params, std::string_view) {
  const auto n = std::uint64_t(n_of(params));
  return {{"in", {n}, true}, {"out", {n}, false}, {"clocks", {n}, false, "int"}};
}

// u in [0, 1), 24 bits; sorted: ascending.
void fill(const Params& params, std::string_view, std::span<const Bytes> buffers) {
  std::mt19937 random(20261126);
  auto* in = reinterpret_cast<float*>(buffers[0].data());
  const std::int64_t n = n_of(params);
  for (std::int64_t i = 0; i < n; ++i) in[i] = float(random() >> 8) * 0x1p-24f;
  if (const auto order = params.find("order");
      order != params.end() && std::get<std::string>(order->second) == "sorted")
    std::sort(in, in + n);
}

// How many sides a lane goes through.
std::int64_t sides(const Params& params, std::string_view rung, float u) {
  if (rung == "early_return" && u < share_of(params)) return 0;
  if (rung == "loop") return 1 + std::int64_t(u * float(rounds_of(params)));
  return rounds_of(params) * (rung == "short_side" ? kShortSides : 1);
}

// Whether the k-th of them is the rising one.
bool rises(const Params& params, std::string_view rung, std::int64_t i, float u, std::int64_t k) {
  if (rung == "by_lane") return (i % threads_of(params) + k) % 2 == 0;
  if (rung == "by_warp") return (i % threads_of(params) / 32 + k) % 2 == 0;
  if (rung == "by_block") return (i / threads_of(params) + k) % 2 == 0;
  if (rung == "by_data") return u < share_of(params);
  if (rung == "short_side") return (bit_cast<std::uint32_t>(u) >> k % kShortSides & 1) != 0;
  return rung != "uniform" || k % 2 == 0;
}

double expected(const Params& params, std::string_view rung, std::int64_t i, float u) {
  double x = u;
  const std::int64_t all = sides(params, rung, u), fmas = rung == "short_side" ? 1 : kFmas;
  for (std::int64_t k = 0; k < all; ++k) {
    const bool rising = rises(params, rung, i, u, k);
    for (std::int64_t j = 0; j < fmas; ++j) x = rising ? x * kKeep + kUp : kDown - x * kKeep;
  }
  return x;
}

// Large arrays are looked at in places: the first and the last thousand, and each 4097th between them.
Check check(const Params& params, std::string_view rung, std::span<const ConstBytes> buffers) {
  const auto* in = reinterpret_cast<const float*>(buffers[0].data());
  const auto* out = reinterpret_cast<const float*>(buffers[1].data());
  Check result{true, 0, 1e-4};
  const std::int64_t n = n_of(params);
  for (std::int64_t i = 0; i < n;
       i += i < 1024 || i >= n - 1024 ? 1 : std::min<std::int64_t>(4097, n - 1024 - i))
    result.max_error =
        larger_error(result.max_error, std::abs(expected(params, rung, i, in[i]) - double(out[i])));
  result.pass = result.max_error <= result.tolerance;
  return result;
}

double fmas(const Params& params, std::string_view rung) {
  const auto n = double(n_of(params)), rounds = double(rounds_of(params));
  if (rung == "short_side") return n * rounds * kShortSides;
  if (rung == "loop") return n * (rounds + 1) / 2 * kFmas;  // on average
  if (rung == "early_return") return n * (1 - double(share_of(params))) * rounds * kFmas;
  return n * rounds * kFmas;
}

// --- what is measured and modelled -------------------------------------------------------------------------

// Of the first block's slowest thread.
double cycles(const Params& params, std::span<const ConstBytes> buffers) {
  const auto* clocks = reinterpret_cast<const std::int32_t*>(buffers[2].data());
  return double(*std::max_element(clocks, clocks + std::min(n_of(params), threads_of(params))));
}

std::vector<Measurement> measurements(std::string_view rung, const Params& params) {
  if (n_of(params) > kBlocksAlone * threads_of(params)) return {};
  return {{"cycles", std::string(rung), params, cycles}};
}

const Launch* traced(const Run& run) {
  for (const Launch& launch : run.launches)
    if (!launch.trace.events.empty() && launch.trace.dropped == 0) return &launch;
  return nullptr;
}

Metrics figures(const Run& run) {
  Metrics all;
  const Launch* launch = traced(run);
  if (!launch) return all;
  std::int64_t slots = 0, lane_slots = 0;
  for (const WarpIssue& warp : issue_of(*launch)) slots += warp.slots, lane_slots += warp.lane_slots;
  if (slots == 0) return all;
  all["issue_slots"] = slots;
  all["active_threads_per_warp"] = double(lane_slots) / double(slots);
  return all;
}

// The followed block alone on an SM. More is not played than a step may take.
constexpr std::int64_t kMostPlayed = 1'200'000, kMostOfWarp = 60'000;

KnownFigures known(const Run& run) {
  const Launch* launch = traced(run);
  if (!launch) return {};
  std::vector<WarpProgram> programs;
  std::int64_t all_slots = 0;
  for (const WarpIssue& warp : issue_of(*launch)) {
    if (warp.slots > kMostOfWarp || (all_slots += warp.slots) > kMostPlayed) return {};
    programs.push_back(arithmetic_program(warp));
  }
  if (programs.empty()) return {};
  const int warps = int(programs.size());
  const SmRun sm = run_sm(h200_table(), programs, {warps, warps, Policy::greedy_youngest});
  KnownFigures figures;
  const auto add = [&](const char* name, Value value) {
    figures[std::string("model.") + name] = {std::move(value), Provenance::modelled()};
  };
  add("cycles", std::int64_t(sm.cycles));
  if (const auto* measured = run.evidence.find<MeasuredEvidence>())  // of these very settings
    if (const auto took = measured->real("cycles"); took && *took > 0)
      figures["model.error"] = {(double(sm.cycles) - *took) / *took,
                                Provenance::modelled(Provenance::Basis::against_recording)};
  add("ipc", sm.ipc());
  add("issue_slots_used", sm.ipc() / kSubCores);
  return figures;
}

// --- the table ---------------------------------------------------------------------------------------------

Parameter whole(const char* name, std::int64_t max, std::int64_t start, const char* unit, const char* help) {
  Parameter p;
  p.name = name, p.min = 1, p.max = double(max), p.default_value = start, p.unit = unit, p.help = help;
  return p;
}

std::vector<Parameter> parameters() {
  Parameter threads = whole("threads", 1024, 128, "", N_("Threads of a block."));
  threads.min = 32, threads.choices = {"32", "64", "128", "256", "512", "1024"};
  Parameter rounds = whole("rounds", kMostRounds, 2, "", N_("How often each thread comes to the branch."));
  rounds.rung_defaults = {{"loop", Value{std::int64_t{8}}}, {"short_side", Value{std::int64_t{1}}}};
  Parameter share = whole("share", 100, 50, N_("%"), N_("Of the elements: so many lie below the limit."));
  share.min = 0, share.rungs = {"by_data", "early_return"};
  share.rung_defaults = {{"by_data", Value{std::int64_t{5}}}, {"early_return", Value{std::int64_t{80}}}};
  Parameter order;
  order.name = "order", order.type = "choice", order.choices = {"random", "sorted"};
  order.default_value = std::string("random"), order.rungs = {"by_data", "loop", "early_return"};
  order.help = N_("How the elements lie: at random, or by size.");
  Parameter ways = whole("ways", kMostWays, 4, "", N_("Cases: lane 0 is in the first, lane 1 in the next."));
  ways.rungs = {"ways"};
  return {whole("n", kMost, 256, N_("elements"), N_("Elements of the array, one per thread.")),
          threads,
          rounds,
          share,
          order,
          ways};
}

LabInfo info() {
  LabInfo lab{"divergence", N_("divergence"), N_("What if lanes disagree?"), N_("Scheduling"), {}, {}};
  lab.rungs = {
      {"uniform", N_("all lanes go the same way"), "divergence/01_uniform.cuh"},
      {"by_lane", N_("even lanes one way, odd lanes the other: both sides are issued"),
       "divergence/02_by_lane.cuh"},
      {"by_warp", N_("whole warps differ: it costs nothing"), "divergence/03_by_warp.cuh"},
      {"by_block", N_("blocks differ: it costs nothing"), "divergence/04_by_block.cuh"},
      {"by_data", N_("the data decide: one lane is enough for both sides"), "divergence/05_by_data.cuh"},
      {"ways", N_("a switch: every case that a lane is in, one after the other"), "divergence/06_ways.cuh"},
      {"loop", N_("loops of unequal length: the longest lane decides"), "divergence/07_loop.cuh"},
      {"early_return", N_("some lanes return: their warp goes on"), "divergence/08_early_return.cuh"},
      {"short_side", N_("sides of one FMA: predicated, no branch is left"), "divergence/09_short_side.cuh"},
  };
  lab.parameters = parameters();
  lab.set_titles({{"n", N_("array length")},
                  {"threads", N_("threads per block")},
                  {"rounds", N_("rounds")},
                  {"share", N_("below the limit")},
                  {"order", N_("order of the data")},
                  {"ways", N_("cases")}});
  lab.set_choice_titles("order", {{"random", N_("random")}, {"sorted", N_("sorted")}});
  lab.set_adds({{"uniform", N_("all lanes agree")},
                {"by_lane", N_("lanes disagree")},
                {"by_warp", N_("warps disagree")},
                {"by_block", N_("blocks disagree")},
                {"by_data", N_("the data decide")},
                {"ways", N_("many cases")},
                {"loop", N_("loops, all lengths")},
                {"early_return", N_("some return early")},
                {"short_side", N_("sides of one FMA")}});
  return lab;
}

using Whole = std::pair<const char*, std::int64_t>;
Params with(std::initializer_list<Whole> values, const char* order = nullptr) {
  Params params;
  for (const auto& [name, value] : values) params[name] = value;
  if (order) params["order"] = std::string(order);
  return params;
}

// So many that a round's first instructions, which have to be fetched, weigh little.
constexpr std::int64_t kMeasuredRounds = 64, kMeasuredWayRounds = 32;
const std::vector<std::int64_t> kShares{0, 1, 2, 5, 10, 20, 35, 50, 65, 80, 90, 95, 98, 99, 100};

// One block on an SM: of all sizes; then a full one over the shares and the cases.
std::vector<RecordedSetting> recorded() {
  std::vector<RecordedSetting> all;
  for (const RungInfo& rung : info().rungs)
    for (const std::int64_t threads : {32, 64, 128, 256, 512, 1024})
      all.push_back(
          {rung.slug, with({{"n", threads},
                            {"threads", threads},
                            {"rounds", rung.slug == "ways" ? kMeasuredWayRounds : kMeasuredRounds}})});
  for (const char* rung : {"by_data", "early_return"})
    for (const char* order : {"random", "sorted"})
      for (const std::int64_t share : kShares)
        all.push_back(
            {rung,
             with({{"n", 1024}, {"threads", 1024}, {"rounds", kMeasuredRounds}, {"share", share}}, order)});
  for (const std::int64_t ways : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32})
    all.push_back(
        {"ways", with({{"n", 1024}, {"threads", 1024}, {"rounds", kMeasuredWayRounds}, {"ways", ways}})});
  for (const char* order : {"random", "sorted"})
    for (const std::int64_t rounds : {8, 16, 32})
      all.push_back({"loop", with({{"n", 1024}, {"threads", 1024}, {"rounds", rounds}}, order)});
  return all;
}

// Measured cycles of full blocks: over the share and the number of cases.
CurvesEvidence curves(std::span<const Run> recordings) {
  CurvesEvidence all;
  for (const Run& run : recordings) {
    const auto* measured = run.evidence.find<MeasuredEvidence>();
    const Params& p = run.request.params;
    const auto value = measured ? measured->real("cycles") : std::nullopt;
    if (!value || threads_of(p) != 1024 || n_of(p) != 1024) continue;
    const auto order = p.find("order");
    const std::string words = order == p.end() ? "" : std::get<std::string>(order->second);
    if (p.contains("share") && rounds_of(p) == kMeasuredRounds)
      all.curves[{run.request.rung, "share " + words, "cycles"}][int_param(p, "share")] = *value;
    if (p.contains("ways") && rounds_of(p) == kMeasuredWayRounds)
      all.curves[{run.request.rung, "ways", "cycles"}][ways_of(p)] = *value;
  }
  return all;
}

std::vector<std::shared_ptr<const ExperimentPlan>> experiments() {
  auto clocks = std::make_shared<MeasurementPlan>();
  clocks->measurements = measurements;
  clocks->columns = {{"cycles", "measured.cycles"}};
  auto sm = std::make_shared<SmPlan>();
  sm->known_of_run = known, sm->measured_cycles = "cycles";
  auto recorded_curves = std::make_shared<CurvesPlan>();
  recorded_curves->curves = curves;
  return {clocks, sm, recorded_curves};
}

}  // namespace

const Ladder& divergence_ladder() {
  static const Ladder ladder = [] {
    Ladder l;
    l.info = info();
    l.buffers = buffers, l.fill = fill, l.check = check, l.figures = figures;
    l.bytes = [](const Params& params, std::string_view) { return 12.0 * double(n_of(params)); };
    l.flops = [](const Params& params, std::string_view rung) { return 2 * fmas(params, rung); };
    l.experiments = experiments();
    l.bench_params = [](std::string_view) {
      return with({{"n", 1024}, {"threads", 1024}, {"rounds", kMeasuredRounds}});
    };
    l.recorded_params = recorded();
    l.validation_params = {
        with({{"n", 1}, {"threads", 32}}),
        with({{"n", 31}, {"threads", 64}, {"rounds", 5}, {"ways", 3}}),
        with({{"n", 33}, {"threads", 32}, {"share", 40}, {"ways", 32}}, "sorted"),
        with({{"n", 1000}, {"threads", 256}, {"rounds", 3}, {"share", 97}, {"ways", 7}}),
        with({{"n", (1 << 20) + 17}, {"threads", 1024}, {"rounds", 2}, {"share", 1}}, "sorted"),
        {}};
    return l;
  }();
  return ladder;
}

}  // namespace lockstep
