// Two copies and two sums of products whose blocks per SM the settings limit, beside the model of that limit.
#include "kernels/experiments.hpp"

#include <algorithm>
#include <cmath>

#include "app/devices/gpus.hpp"
#include "app/model/measured_evidence.hpp"
#include "app/model/occupancy.hpp"
#include "kernels/occupancy/sizes.hpp"

namespace lockstep {

namespace {

constexpr std::int64_t kMostThreads = 1024, kMostThreadsOfFma = 512;  // what 03_fma.cuh is compiled for
constexpr const char* kSliders = "sliders";

std::string n(std::int64_t x) { return std::to_string(x); }

std::int64_t setting(const Params& params, const char* name, std::int64_t otherwise) {
  return params.contains(name) ? int_param(params, name) : otherwise;
}
std::int64_t elements(const Params& params) { return setting(params, "elements", lab::kElements); }
std::int64_t steps(const Params& params) { return setting(params, "steps", lab::kSteps); }
bool copies(std::string_view rung) { return rung == "stream" || rung == "unrolled"; }

// --- the problems
// ---------------------------------------------------------------------------------------------

std::vector<BufferSpec> buffers(const Params& params, std::string_view rung) {
  const auto count = std::uint64_t(elements(params));
  if (copies(rung)) return {{"in", {count}, true}, {"out", {count}, false}};
  return {{"in", {lab::kRows + lab::kCols, lab::kInputColumns}, true}, {"out", {count}, false}};
}

// 24 random bits in [0, 1): 1 - x is exact.
void fill(const Params&, std::string_view, std::span<const Bytes> buffers) {
  auto* in = reinterpret_cast<float*>(buffers[0].data());
  const std::size_t count = buffers[0].size() / sizeof(float);
  std::uint32_t random = 20261122;
  for (std::size_t i = 0; i < count; ++i) {
    random = random * 1664525u + 1013904223u;
    in[i] = float(random >> 8) * 0x1p-24f;
  }
}

const float* floats(ConstBytes bytes) { return reinterpret_cast<const float*>(bytes.data()); }

double largest_difference(std::span<const ConstBytes> buffers) {
  const float *in = floats(buffers[0]), *out = floats(buffers[1]);
  double largest = 0;
  for (std::size_t i = 0; i < buffers[1].size() / sizeof(float); ++i)
    largest = larger_error(largest, std::abs(double(out[i]) - double(in[i])));
  return largest;
}

// The sum over all steps of a_i b_j, in double: a is a and 1 - a in turn.
double sum_of_products(const float* in, std::size_t column, std::int64_t steps) {
  double a_now = 0, a_next = 0, b_all = 0;
  for (std::size_t i = 0; i < lab::kRows; ++i) {
    const double a = double(in[i * lab::kInputColumns + column]);
    a_now += a, a_next += 1 - a;
  }
  for (std::size_t j = 0; j < lab::kCols; ++j)
    b_all += double(in[(lab::kRows + j) * lab::kInputColumns + column]);
  return b_all * (double((steps + 1) / 2) * a_now + double(steps / 2) * a_next);
}

double largest_relative_error(const Params& params, std::span<const ConstBytes> buffers) {
  const float *in = floats(buffers[0]), *out = floats(buffers[1]);
  std::vector<double> want;
  for (std::size_t column = 0; column < lab::kInputColumns; ++column)
    want.push_back(sum_of_products(in, column, steps(params)));
  double largest = 0;
  for (std::size_t t = 0; t < buffers[1].size() / sizeof(float); ++t) {
    const double right = want[t % lab::kInputColumns], error = std::abs(double(out[t]) - right) / right;
    largest = larger_error(largest, error);
  }
  return largest;
}

// A copy is exact. Sums of terms that are not negative: half a unit of fp32's roundoff per addition.
Check check(const Params& params, std::string_view rung, std::span<const ConstBytes> buffers) {
  Check result{true, 0, 0};
  if (copies(rung)) {
    result.max_error = largest_difference(buffers);
  } else {
    result.tolerance = 0x1p-24 * double(steps(params) + lab::kRows * lab::kCols + 2);
    result.max_error = largest_relative_error(params, buffers);
  }
  result.pass = result.max_error <= result.tolerance;
  return result;
}

// The source has no spills, so neither counts nor cache models have them.
std::vector<Message> warnings(const Params&, std::string_view rung, std::span<const ConstBytes>) {
  if (rung != "spilled") return {};
  return {{N_("only the compiled kernel spills: the counts and the modelled bytes leave that out"), {}}};
}

double bytes(const Params& params, std::string_view rung) {
  const double out = 4 * double(elements(params));
  return copies(rung) ? 2 * out : out + 4.0 * (lab::kRows + lab::kCols) * lab::kInputColumns;
}
double flops(const Params& params, std::string_view rung) {
  constexpr int kPerStep = 2 * lab::kRows * lab::kCols + lab::kRows;
  return copies(rung) ? 0 : double(elements(params)) * double(steps(params)) * kPerStep;
}

// --- what is measured
// ---------------------------------------------------------------------------------------------

// Large enough that the last blocks, which run with fewer neighbours, count little; small enough for a
// slider.
Params timed(std::string_view rung, Params params) {
  params["elements"] = copies(rung) ? std::int64_t{1} << 23 : std::int64_t{1} << 20;
  if (!copies(rung)) params["steps"] = std::int64_t{32};
  return params;
}

std::vector<Measurement> measurements(std::string_view rung, const Params& params) {
  Measurement ms{"ms", std::string(rung), timed(rung, params)};
  ms.of_launch = {"threads", "registers", "shared_bytes", "device", "kernel"};
  return {ms};
}

const char* rate_name(std::string_view rung) { return copies(rung) ? "gigabytes_per_s" : "teraflops"; }

// What a timed launch has reached, and at which size.
Metrics rate(const Run& run) {
  const auto* measured = run.evidence.find<MeasuredEvidence>();
  const auto ms = measured ? measured->real("ms") : std::nullopt;
  if (!ms || !(*ms > 0)) return {};
  const std::string& rung = run.request.rung;
  const Params params = timed(rung, run.request.params);
  const double work = copies(rung) ? bytes(params, rung) / 1e6 : flops(params, rung) / 1e9;
  Metrics all{{std::string("measured.") + rate_name(rung), work / *ms},
              {"measured.elements", elements(params)}};
  if (!copies(rung)) all["measured.steps"] = steps(params);
  return all;
}

// What a recording reached, by its resident warps.
CurvesEvidence curves(std::span<const Run> recordings) {
  CurvesEvidence all;
  for (const Run& run : recordings) {
    const auto* measured = run.evidence.find<MeasuredEvidence>();
    const auto* driver = run.evidence.find<DriverEvidence>();
    const auto reached = measured ? measured->real(rate_name(run.request.rung)) : std::nullopt;
    // Other block sizes reach the same warps: one size per curve.
    if (reached && driver && driver->warps_per_sm && setting(run.request.params, "threads", 0) == 128)
      all.curves[{run.request.rung, "warps", ""}][*driver->warps_per_sm] = *reached;
  }
  return all;
}

// --- the model
// ---------------------------------------------------------------------------------------------

const Gpu& device_of(const Params& params) {
  const Gpu* gpu = gpu_by_word(std::get<std::string>(params.at("device")));
  static const Gpu h200;
  return gpu ? *gpu : h200;
}

// The sliders', or those of the loaded kernel.
BlockNeeds needs_of(const Params& params, const LoadedKernel& loaded) {
  return {int(loaded.threads.value_or(int_param(params, "threads"))),
          int(loaded.registers.value_or(int_param(params, "registers"))),
          loaded.shared_bytes.value_or(int_param(params, "shared_bytes"))};
}

OccupancyAnswer answer(const Params& params, const LoadedKernel& loaded) {
  const Gpu& gpu = device_of(params);
  const BlockNeeds needs = needs_of(params, loaded);
  const ResidentBlocks r = resident_blocks(gpu, needs);
  return {{needs.threads, needs.registers, needs.shared_bytes, r.blocks, r.warps, r.fraction},
          next_blocks(next_by_threads(gpu, needs)),
          next_blocks(next_by_registers(gpu, needs)),
          next_blocks(next_by_shared(gpu, needs))};
}

// --- the table
// ---------------------------------------------------------------------------------------------

Status rule(std::string_view rung, const Params& params) {
  const std::int64_t threads = int_param(params, "threads"), bytes = int_param(params, "shared_bytes");
  const Gpu& gpu = device_of(params);
  if (bytes > gpu.shared_bytes_per_block)
    return bad_input(
        "shared_bytes = {0} is not possible on device = {1}: a block has at most {2} bytes of shared memory "
        "there",
        {n(bytes), gpu.word, n(gpu.shared_bytes_per_block)});
  if (rung == "fma" && threads > kMostThreadsOfFma)
    return bad_input(
        "threads = {0} is not possible for occupancy/fma: it needs up to 128 registers per thread, and an SM "
        "has "
        "65536; at most {1}",
        {n(threads), n(kMostThreadsOfFma)});
  return Unit{};
}

Parameter whole(const char* name, double min, double max, std::int64_t start, const char* unit,
                const char* help) {
  Parameter p;
  p.name = name, p.min = min, p.max = max, p.default_value = start, p.unit = unit, p.help = help;
  return p;
}

Parameter choice(const char* name, std::vector<std::string> words, const std::string& start,
                 const char* help) {
  Parameter p;
  p.name = name, p.type = "choice", p.default_value = start, p.choices = std::move(words);
  p.model_only = true, p.help = help;
  return p;
}

std::vector<std::string> devices() {
  std::vector<std::string> words;
  for (const Gpu& gpu : known_gpus()) words.push_back(gpu.word);
  return words;
}

std::vector<Parameter> parameters() {
  std::int64_t most_shared = 0;
  for (const Gpu& gpu : known_gpus()) most_shared = std::max(most_shared, gpu.shared_bytes_per_block);
  Parameter registers = whole("registers", 1, 255, 14, "",
                              N_("Registers per thread: the model's question. The kernel keeps its own."));
  registers.rung_defaults = {
      {"unrolled", std::int64_t{32}}, {"fma", std::int64_t{125}}, {"spilled", std::int64_t{32}}};
  registers.model_only = true;
  return {whole("threads", 1, double(kMostThreads), 256, "", N_("Threads per block.")), registers,
          whole("shared_bytes", 0, double(most_shared), 32768, N_("bytes"),
                N_("Dynamic shared memory per block: the kernel asks for it and does not use it.")),
          choice("device", devices(), "H200", N_("The device whose SM is filled.")),
          choice("kernel", {kSliders}, kSliders,
                 N_("Take threads, registers and shared bytes from a kernel of another lab."))};
}

LabInfo info() {
  LabInfo lab{"occupancy", N_("occupancy"), N_("What limits my blocks per SM?"), N_("Scheduling"), {}, {},
              rule};
  lab.rungs = {
      {"stream", N_("a copy, one load under way per warp: it needs many warps"), "occupancy/01_stream.cuh"},
      {"unrolled", N_("four loads under way per warp: a quarter of the warps will do"),
       "occupancy/02_unrolled.cuh"},
      {"fma", N_("96 sums in 125 registers: 25 % of the warps keep the FMA pipes busy"),
       "occupancy/03_fma.cuh"},
      {"spilled", N_("32 registers for the same sums: full occupancy, and spills"),
       "occupancy/04_spilled.cuh"},
  };
  lab.parameters = parameters();
  lab.set_titles({{"threads", N_("threads per block")},
                  {"registers", N_("registers per thread")},
                  {"shared_bytes", N_("shared per block")},
                  {"device", N_("GPU")},
                  {"kernel", N_("as in kernel")}});
  lab.set_choice_titles("kernel", {{kSliders, N_("none: as set here")}});
  lab.set_adds({{"stream", N_("one load under way")},
                {"unrolled", N_("+ four loads under way")},
                {"fma", N_("96 sums in registers")},
                {"spilled", N_("fewer registers: slower")}});
  return lab;
}

std::vector<std::shared_ptr<const ExperimentPlan>> experiments() {
  auto times = std::make_shared<MeasurementPlan>();
  times->measurements = measurements, times->derived = rate;
  auto model = std::make_shared<OccupancyPlan>();
  model->answer = answer, model->rung_choice = "kernel";
  auto recorded = std::make_shared<CurvesPlan>();
  recorded->curves = curves;
  return {times, model, recorded};
}

// The most shared bytes with which `blocks` of 128 threads fit an H200's SM.
std::int64_t shared_for(int blocks) {
  const Gpu gpu;
  std::int64_t bytes = 0;
  while (resident_blocks(gpu, {128, 0, bytes + gpu.shared_unit}).by_shared >= blocks)
    bytes += gpu.shared_unit;
  return std::min(bytes, gpu.shared_bytes_per_block);
}

std::vector<RecordedSetting> recorded() {
  std::vector<RecordedSetting> all;
  const auto add = [&](const char* rung, std::initializer_list<int> blocks) {
    for (int count : blocks)
      all.push_back({rung, {{"threads", std::int64_t{128}}, {"shared_bytes", shared_for(count)}}});
  };
  add("stream", {1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16});
  add("unrolled", {1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16});
  add("fma", {1, 2, 3, 4});
  add("spilled", {1, 2, 3, 4, 6, 8, 12, 16});
  return all;
}

}  // namespace

const Ladder& occupancy_ladder() {
  static const Ladder ladder = [] {
    Ladder l;
    l.info = info();
    l.buffers = buffers, l.fill = fill, l.check = check, l.bytes = bytes, l.flops = flops;
    l.warnings = warnings;
    l.experiments = experiments();
    const auto with = [](std::int64_t threads, std::int64_t shared_bytes) {
      return Params{{"threads", threads}, {"shared_bytes", shared_bytes}};
    };
    l.validation_params = {{}, with(1, 0), with(33, 100), with(100, 50001), with(512, 232448), with(1024, 0)};
    l.recorded_params = recorded();
    return l;
  }();
  return ladder;
}

}  // namespace lockstep
