// Microbenchmarks: one operation each, by the SM's own clock. What the SM model's table rests on; no lab
// shows them.
#include "kernels/experiments.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

constexpr std::int64_t kElements = 1 << 12;  // 16 KB: the elements of 32 warps with four chains
constexpr int kRepeat = 256;

std::uint64_t warps(const Params& params) { return std::uint64_t(int_param(params, "warps")); }

std::vector<BufferSpec> buffers(const Params& params, std::string_view) {
  return {{"out", {warps(params), 32}, false, "int"},
          {"clocks", {warps(params), 2}, false, "int"},
          {"next", {std::uint64_t(kElements)}, true, "int"}};
}

// Every element holds its own index: a chain stands still, and no load can be known beforehand.
void fill(const Params&, std::string_view, std::span<const Bytes> buffers) {
  auto* next = reinterpret_cast<std::int32_t*>(buffers[2].data());
  for (std::int64_t i = 0; i < kElements; ++i) next[i] = std::int32_t(i);
}

std::int64_t expected(const Params& params, std::string_view rung, std::int64_t thread) {
  const std::int64_t chains = int_param(params, "chains");
  if (rung == "barrier") return chains;
  if (rung == "policy") return 2 * chains * 33;
  constexpr std::int64_t kPasses = 2;
  const std::int64_t operations = kPasses * int_param(params, "repeat");
  std::int64_t sum = 0;
  for (std::int64_t c = 0; c < chains; ++c) {
    if (rung == "fma") sum += c + 2 * operations;
    if (rung == "l1" || rung == "l2" || rung == "shared")
      sum += (thread / 32 * chains + c) * 32 + thread % 32;
    std::uint32_t x = std::uint32_t(c);
    for (std::int64_t k = 0; k < operations; ++k) x = x * 32 + 33;
    if (rung == "address" || rung == "branch") sum += std::int32_t(x);
  }
  return std::int32_t(sum);
}

Check check(const Params& params, std::string_view rung, std::span<const ConstBytes> buffers) {
  const auto* out = reinterpret_cast<const std::int32_t*>(buffers[0].data());
  Check result{true, 0, 0};
  for (std::int64_t t = 0; t < std::int64_t(warps(params)) * 32; ++t)
    result.max_error =
        std::max(result.max_error, std::abs(double(out[t]) - double(expected(params, rung, t))));
  result.pass = result.max_error <= result.tolerance;
  return result;
}

// Cycles per operation of the SM: from the first warp's start to the last one's end.
double cycles(const Params& params, std::span<const ConstBytes> buffers) {
  const auto* clocks = reinterpret_cast<const std::uint32_t*>(buffers[1].data());
  std::int32_t first = 0, last = 0;
  for (std::uint64_t w = 0; w < warps(params); ++w) {
    first = std::min(first, std::int32_t(clocks[2 * w] - clocks[0]));
    last = std::max(last, std::int32_t(clocks[2 * w + 1] - clocks[0]));
  }
  return double(last - first) / double(int_param(params, "chains") * int_param(params, "repeat"));
}

// --- who issues: the warps 0, 4, 8, ... belong to one scheduler

constexpr std::uint64_t kSchedulers = 4;

// Of a warp of that scheduler since the block's first warp began; the low 32 bits of the clock may wrap.
std::int32_t end_of(std::span<const ConstBytes> buffers, std::uint64_t warp) {
  const auto* clocks = reinterpret_cast<const std::uint32_t*>(buffers[1].data());
  return std::int32_t(clocks[2 * warp + 1] - clocks[0]);
}

// How far apart its warps end, as a part of the time until the last one does: 0 where they take turns, 1 -
// 1/n where n of them run one after another.
double spread(const Params& params, std::span<const ConstBytes> buffers) {
  std::int32_t first = end_of(buffers, 0), last = first;
  for (std::uint64_t w = 0; w < warps(params); w += kSchedulers)
    first = std::min(first, end_of(buffers, w)), last = std::max(last, end_of(buffers, w));
  return last > 0 ? double(last - first) / last : 0;
}

// In the order in which they end: "28,24,20,...".
std::string order_text(const Params& params, std::span<const ConstBytes> buffers) {
  std::vector<std::uint64_t> order;
  for (std::uint64_t w = 0; w < warps(params); w += kSchedulers) order.push_back(w);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return end_of(buffers, a) < end_of(buffers, b); });
  std::string text;
  for (const std::uint64_t w : order) text += (text.empty() ? "" : ",") + std::to_string(w);
  return text;
}

std::vector<Measurement> measurements(std::string_view rung, const Params&) {
  std::vector<Measurement> all;
  const auto add = [&](const std::string& name, std::int64_t warps, std::int64_t chains) {
    all.push_back({name,
                   std::string(rung),
                   {{"warps", warps}, {"chains", chains}, {"repeat", std::int64_t{kRepeat}}},
                   cycles});
  };
  if (rung == "policy") {
    for (const std::int64_t warps : {8, 16, 32}) {
      add("spread_of_" + std::to_string(warps) + "_warps", warps, 4);
      all.back().value = spread, all.back().text = order_text;
    }
    return all;
  }
  add("latency", 1, 1);
  for (const std::int64_t warps : {1, 2, 4, 8, 16, 32})
    add("round_of_" + std::to_string(warps) + "_warps", warps, rung == "barrier" ? 1 : 4);
  return all;
}

Parameter whole(const char* name, double max, std::int64_t start, const char* help) {
  Parameter p;
  p.name = name, p.min = 1, p.max = max, p.default_value = start, p.help = help;
  return p;
}

LabInfo info() {
  LabInfo lab{"micro", "microbenchmarks", "What does one operation cost?", "Scheduling", {}, {}};
  for (const char* rung :
       {"01_fma", "02_address", "03_l2", "04_l1", "05_barrier", "06_shared", "07_branch", "08_policy"})
    lab.rungs.push_back({rung + 3, "", std::string("micro/") + rung + ".cuh"});
  Parameter chains = whole("chains", 4, 1, "Independent chains per thread.");
  chains.choices = {"1", "4"};
  lab.parameters = {whole("warps", 32, 1, "Warps of the block."), chains,
                    whole("repeat", 1024, 16, "Operations per chain.")};
  return lab;
}

}  // namespace

const Ladder& micro_ladder() {
  static const Ladder ladder = [] {
    Ladder l;
    l.info = info();
    l.buffers = buffers, l.fill = fill, l.check = check;
    auto plan = std::make_shared<MeasurementPlan>();
    plan->measurements = measurements;
    l.experiments = {plan};
    l.bytes = l.flops = [](const Params&, std::string_view) { return 0.0; };
    return l;
  }();
  return ladder;
}

}  // namespace lockstep
