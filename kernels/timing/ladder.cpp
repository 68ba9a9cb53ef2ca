// One plain kernel and four stopwatches: what do they measure?
#include "kernels/experiments.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "app/model/stopwatch.hpp"
#include "kernels/timing/sizes.hpp"

namespace lockstep {
namespace {

std::vector<BufferSpec> buffers(const Params& params, std::string_view) {
  const auto n = std::uint64_t(int_param(params, "elements"));
  return {{"in", {n}, true}, {"out", {n}}};
}

void fill(const Params&, std::string_view, std::span<const Bytes> buffers) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(-1, 1);
  auto* in = reinterpret_cast<float*>(buffers[0].data());
  for (std::size_t i = 0; i < buffers[0].size() / sizeof(float); ++i) in[i] = uniform(random);
}

Check check(const Params&, std::string_view, std::span<const ConstBytes> buffers) {
  const auto* in = reinterpret_cast<const float*>(buffers[0].data());
  const auto* out = reinterpret_cast<const float*>(buffers[1].data());
  Check result{true, 0, 1e-6};
  for (std::size_t i = 0; i < buffers[0].size() / sizeof(float); ++i) {
    const double error = std::abs(double(out[i]) - (2.0 * in[i] + 1));
    result.max_error = larger_error(result.max_error, error);
  }
  result.pass = result.max_error <= result.tolerance;
  return result;
}

// A product's fastest kernel at sizes from "hardly a block" to "all SMs", with its largest tile whatever the
// size.
std::shared_ptr<const ExperimentPlan> stopwatch_plan() {
  auto plan = std::make_shared<StopwatchPlan>();
  plan->copies = kCopies, plan->product = {"gemm", "stores"};
  plan->sizes = {32, 64, 128, 256, 512, 1024, 2048, 4096};
  plan->product_params = [product = plan->product](std::int64_t n) {
    Params params = find_ladder(product.lab)->info.sets.at(product.rung).back();
    params["m"] = params["n"] = params["k"] = n;
    return params;
  };
  return plan;
}

LabInfo info() {
  LabInfo lab{"timing", N_("timing"), N_("What does my stopwatch measure?"), N_("Launching"), {}, {}};
  lab.rungs = {{"scale", N_("one kernel, timed in four ways"), "timing/01_scale.cuh"}};
  Parameter elements;
  elements.name = "elements", elements.min = 1, elements.max = double(1 << 26);
  elements.default_value = std::int64_t{1} << 16, elements.unit = N_("elements");
  elements.help = N_("Floats that the kernel reads and writes; one thread each.");
  Parameter runs;
  runs.name = "runs", runs.min = 10, runs.max = 1000, runs.default_value = std::int64_t{200};
  runs.help = N_("How many launches each stopwatch times.");
  Parameter show;
  show.name = "show", show.type = "choice", show.choices = {"stopwatches", "ranges"};
  show.default_value = std::string("stopwatches"), show.model_only = true;
  show.help = N_("What is drawn: the stopwatches, or the NVTX ranges of the whole run.");
  lab.parameters = {elements, runs, show};
  lab.set_titles({{"elements", N_("array length")}, {"runs", N_("launches")}, {"show", N_("shown")}});
  lab.set_choice_titles("show", {{"stopwatches", N_("stopwatches")}, {"ranges", N_("NVTX ranges")}});
  return lab;
}

}  // namespace

const Ladder& timing_ladder() {
  static const Ladder ladder = [] {
    Ladder l;
    l.info = info();
    l.buffers = buffers, l.fill = fill, l.check = check;
    l.bytes = [](const Params& params, std::string_view) {
      return 8.0 * double(int_param(params, "elements"));
    };
    l.flops = [](const Params& params, std::string_view) {
      return 2.0 * double(int_param(params, "elements"));
    };
    l.asked_bytes = [](const Params& params, std::string_view) {
      return 4.0 * double(int_param(params, "elements"));
    };
    l.experiments = {stopwatch_plan()};
    const auto at = [](std::int64_t elements) { return Params{{"elements", elements}}; };
    l.bench_params = [](std::string_view) { return Params{{"elements", std::int64_t{1} << 24}}; };
    l.validation_params = {{}, at(1), at(31), at(1000), at(100003)};
    for (const int power : {10, 12, 14, 18, 20, 22, 26})
      l.recorded_params.push_back({"scale", at(std::int64_t{1} << power)});
    return l;
  }();
  return ladder;
}

}  // namespace lockstep
