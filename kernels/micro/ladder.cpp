// Microbenchmarks: one operation each, by the SM's own clock. What the SM model's table rests on; no lab
// shows them.
#include "kernels/experiments.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

constexpr std::uint64_t kElements = 1 << 12;     // 16 KB: the elements of 32 warps with four chains
constexpr std::uint64_t kBoxElements = 1 << 15;  // 128 KB: four boxes of 256 lines
constexpr int kRepeat = 256;
constexpr std::int64_t kPasses = 2;  // of the kernels that warm up

// Of compute capability 9.0a; 64 columns or rows, 128 or 256.
const std::vector<std::string> kProducts{"product", "products", "register_product", "fp8_product"};
const std::vector<std::string> kBoxes{"box", "ask"};
const std::vector<std::string> kBarriers{"handoff", "past_phase", "arrive"};
bool among(const std::vector<std::string>& rungs, std::string_view rung) {
  return std::find(rungs.begin(), rungs.end(), rung) != rungs.end();
}
bool by_warpgroups(std::string_view rung) { return among(kProducts, rung) || rung == "no_products"; }
bool made_for(std::string_view rung, std::int64_t size) {
  return !(rung == "register_product" && size == 256) && !(rung == "fp8_product" && size == 128);
}

std::uint64_t warps(const Params& params, std::string_view rung) {
  constexpr std::uint64_t kWarpsOfGroup = 4;
  const auto warps = std::uint64_t(int_param(params, "warps"));
  return by_warpgroups(rung) ? (warps + kWarpsOfGroup - 1) / kWarpsOfGroup * kWarpsOfGroup : warps;
}

std::vector<BufferSpec> buffers(const Params& params, std::string_view rung) {
  return {{"out", {warps(params, rung), 32}, false, "int"},
          {"clocks", {warps(params, rung), 2}, false, "int"},
          {"next", {among(kBoxes, rung) ? kBoxElements : kElements}, true, "int"}};
}

// Every element holds its own index: a chain stands still, and no load can be known beforehand.
void fill(const Params&, std::string_view, std::span<const Bytes> buffers) {
  auto* next = reinterpret_cast<std::int32_t*>(buffers[2].data());
  for (std::size_t i = 0; i < buffers[2].size() / sizeof *next; ++i) next[i] = std::int32_t(i);
}

std::int64_t expected(const Params& params, std::string_view rung, std::int64_t thread) {
  const std::int64_t chains = int_param(params, "chains"), size = int_param(params, "size");
  if (rung == "barrier" || rung == "no_products" || among(kBarriers, rung)) return chains;
  if (rung == "policy") return 2 * chains * 33;
  const std::int64_t operations = kPasses * int_param(params, "repeat");
  const std::int64_t depth = rung == "fp8_product" ? 1 : 16;  // by which a product makes a sum larger
  if (among(kProducts, rung)) return size / 2 * depth * chains * operations;
  std::int64_t sum = 0;
  if (among(kBoxes, rung))
    for (std::int64_t c = 0; c < chains; ++c) sum += c * size * 32 + thread % 32;
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
  for (std::int64_t t = 0; t < std::int64_t(warps(params, rung)) * 32; ++t)
    result.max_error =
        std::max(result.max_error, std::abs(double(out[t]) - double(expected(params, rung, t))));
  result.pass = result.max_error <= result.tolerance;
  return result;
}

// Cycles per operation of the SM: from the first warp's start to the last one's end.
double cycles(const Params& params, std::span<const ConstBytes> buffers) {
  const auto* clocks = reinterpret_cast<const std::uint32_t*>(buffers[1].data());
  std::int32_t first = 0, last = 0;
  for (std::uint64_t w = 0; w < buffers[1].size() / (2 * sizeof *clocks); ++w) {
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
  for (std::uint64_t w = 0; w < warps(params, "policy"); w += kSchedulers)
    first = std::min(first, end_of(buffers, w)), last = std::max(last, end_of(buffers, w));
  return last > 0 ? double(last - first) / last : 0;
}

// In the order in which they end: "28,24,20,...".
std::string order_text(const Params& params, std::span<const ConstBytes> buffers) {
  std::vector<std::uint64_t> order;
  for (std::uint64_t w = 0; w < warps(params, "policy"); w += kSchedulers) order.push_back(w);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return end_of(buffers, a) < end_of(buffers, b); });
  std::string text;
  for (const std::uint64_t w : order) text += (text.empty() ? "" : ",") + std::to_string(w);
  return text;
}

std::vector<Measurement> measurements(std::string_view rung, const Params&) {
  std::vector<Measurement> all;
  const auto add = [&](const std::string& name, std::int64_t warps, std::int64_t chains,
                       std::int64_t size = 64) {
    all.push_back({name,
                   std::string(rung),
                   {{"warps", warps}, {"chains", chains}, {"repeat", std::int64_t{kRepeat}}, {"size", size}},
                   cycles});
  };
  if (rung == "policy") {
    for (const std::int64_t warps : {8, 16, 32}) {
      add("spread_of_" + std::to_string(warps) + "_warps", warps, 4);
      all.back().value = spread, all.back().text = order_text;
    }
    return all;
  }
  const bool products = among(kProducts, rung);
  if (products || among(kBoxes, rung)) {  // "four_of_128_by_2": each of two warpgroups
    for (const std::int64_t size : {64, 128, 256})
      for (const std::int64_t groups : {1, 2})
        for (const std::int64_t chains : {1, 4})
          if (made_for(rung, size) && (products || groups == 1))
            add((chains == 1 ? "one_of_" : "four_of_") + std::to_string(size) + (groups == 1 ? "" : "_by_2"),
                products ? 4 * groups : 1, chains, size);
    return all;
  }
  if (rung == "handoff") {
    for (const std::int64_t warps : {1, 2, 4, 5, 8})
      add("around_" + std::to_string(warps) + "_warps", warps, 1);
    return all;
  }
  add("latency", 1, 1);
  const bool one = rung == "barrier" || rung == "no_products" || among(kBarriers, rung);
  for (const std::int64_t warps : {1, 2, 4, 8, 16, 32})
    if (!by_warpgroups(rung) || warps >= 4)
      add("round_of_" + std::to_string(warps) + "_warps", warps, one ? 1 : 4);
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
       {"01_fma", "02_address", "03_l2", "04_l1", "05_barrier", "06_shared", "07_branch", "08_policy",
        "09_product", "10_products", "11_register_product", "12_fp8_product", "13_box", "14_ask",
        "15_handoff", "16_past_phase", "17_arrive", "18_no_products"}) {
    lab.rungs.push_back({rung + 3, "", std::string("micro/") + rung + ".cuh"});
    if (std::string_view(rung) > "09") lab.rungs.back().compute_capability = 90;
  }
  Parameter size = whole("size", 256, 64, "Columns of a product, or rows of a box.");
  size.choices = {"64", "128", "256"};
  Parameter chains = whole("chains", 4, 1, "Independent chains per thread.");
  chains.choices = {"1", "4"};
  lab.parameters = {whole("warps", 32, 1, "Warps of the block."), chains,
                    whole("repeat", 1024, 16, "Operations per chain."), size};
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
    for (const RungInfo& rung : l.info.rungs)
      if (rung.compute_capability >= 90) l.unit_rungs.push_back(rung.slug);
    l.bytes = l.flops = [](const Params&, std::string_view) { return 0.0; };
    return l;
  }();
  return ladder;
}

}  // namespace lockstep
