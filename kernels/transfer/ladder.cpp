// The same array brought to the GPU, computed and brought back by every road there is: copies from pageable
// and page-locked memory, accesses over the link, pages that move; and cut into chunks that overlap. What
// does the road between CPU and GPU cost?
#include "kernels/experiments.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "app/model/measured_evidence.hpp"
#include "app/model/portable.hpp"
#include "app/model/transfer_evidence.hpp"
#include "kernels/transfer/sizes.hpp"

namespace lockstep {
namespace {

constexpr std::int64_t kMost = 1 << 24, kMostMb = 1024, kMostChunks = 256;
constexpr std::int64_t kLeastChunkKb = 64, kKbPerMb = 1024;
constexpr double kFloatsPerMb = 1 << 18;

std::int64_t setting(const Params& params, const char* name, std::int64_t otherwise) {
  return params.contains(name) ? int_param(params, name) : otherwise;
}
std::int64_t n_of(const Params& params) { return int_param(params, "n"); }
std::int64_t mb_of(const Params& params) { return setting(params, "mb", 64); }
bool in_chunks(std::string_view rung) { return rung == "chunks" || rung == "streams"; }

MemoryKind memory_of(std::string_view rung) {
  if (rung == "pageable") return MemoryKind::pageable;
  if (rung == "mapped") return MemoryKind::mapped;
  return rung == "managed" || rung == "prefetch" ? MemoryKind::managed : MemoryKind::pinned;
}
bool copies(std::string_view rung) {
  const MemoryKind memory = memory_of(rung);
  return memory == MemoryKind::pageable || memory == MemoryKind::pinned;
}

// The host's arrays, and where there are copies the GPU's.
std::vector<BufferSpec> buffers(const Params& params, std::string_view rung) {
  const auto n = std::uint64_t(n_of(params));
  std::vector<BufferSpec> all{{"in", {n}, true}, {"out", {n}}};
  for (BufferSpec& spec : all) spec.memory = memory_of(rung);
  if (copies(rung)) all.push_back({"d_in", {n}}), all.push_back({"d_out", {n}});
  return all;
}

// In [0, 1), neighbours far from each other.
void fill(const Params&, std::string_view, std::span<const Bytes> buffers) {
  auto* in = reinterpret_cast<float*>(buffers[0].data());
  const std::size_t n = buffers[0].size() / sizeof(float);
  for (std::size_t i = 0; i < n; ++i) in[i] = float(std::uint32_t(i) * 2654435761u >> 8) * 0x1p-24f;
}

// Rounds bring x nearer to 1 by the same factor each.
Check check(const Params& params, std::string_view, std::span<const ConstBytes> buffers) {
  const auto* in = reinterpret_cast<const float*>(buffers[0].data());
  const auto* out = reinterpret_cast<const float*>(buffers[1].data());
  const double left = std::pow(double(kKeep), double(setting(params, "rounds", kRounds)));
  Check result{true, 0, 1e-3};
  for (std::int64_t i = 0; i < n_of(params); ++i)
    result.max_error =
        larger_error(result.max_error, std::abs(1 + (double(in[i]) - 1) * left - double(out[i])));
  result.pass = result.max_error <= result.tolerance;
  return result;
}

// --- what is measured --------------------------------------------------------------------------------------

// An array of so many megabytes, whose kernels are to run so long together.
Params timed(const Params& params, std::string_view) {
  Params large = params;
  large["n"] = std::int64_t(double(mb_of(params)) * kFloatsPerMb);
  return large;
}
double kernels_us(const Params& params) {
  return double(setting(params, "compute", 0)) * double(mb_of(params));
}

// 4 B to 1 GB.
std::vector<std::uint64_t> all_sizes() {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t bytes = 4; bytes <= std::uint64_t{1} << 30; bytes *= 4) sizes.push_back(bytes);
  return sizes;
}
bool of_all_sizes(const Params& params) {
  const auto at = params.find("copies");
  return at != params.end() && std::get<std::string>(at->second) == "all";
}
// What one copy of the rung brings.
std::uint64_t copied_bytes(const Params& params, std::string_view rung) {
  const std::int64_t kb = mb_of(params) * kKbPerMb;
  return std::uint64_t(in_chunks(rung) ? std::min(kb, setting(params, "chunk", kb)) : kb) * 1024;
}

constexpr const char* kWays[] = {"out", "in"};  // [to the device]

// Copies alone, on the host's clock: as large as the rung's, or of all sizes.
std::vector<Measurement> measurements(std::string_view rung, const Params& params) {
  std::vector<Measurement> all;
  if (!copies(rung)) return all;
  const auto add = [&](std::uint64_t bytes, const std::string& size) {
    for (const bool to_device : {true, false}) {
      all.push_back({kWays[to_device] + size + "_ms", std::string(rung), params});
      all.back().copy = HostCopy{bytes, memory_of(rung) == MemoryKind::pinned, to_device};
    }
  };
  add(copied_bytes(params, rung), "");
  if (of_all_sizes(params))
    for (const std::uint64_t bytes : all_sizes()) add(bytes, "_" + std::to_string(bytes));
  return all;
}

Metrics derived(const Run& run) {
  Metrics all;
  const auto* measured = run.evidence.find<MeasuredEvidence>();
  for (const std::string way : kWays)
    if (const auto ms = measured ? measured->real(way + "_ms") : std::nullopt; ms && *ms > 0)
      all["measured." + way + "_gb_per_s"] =
          double(copied_bytes(run.request.params, run.request.rung)) / *ms / 1e6;
  return all;
}

constexpr std::int64_t kCurveMb = 64, kCurveCompute = 20, kCurveStreams = 3;

// Times of copies over their bytes, in and out; of the whole over the chunks' size.
CurvesEvidence curves(std::span<const Run> recordings) {
  CurvesEvidence all;
  for (const Run& run : recordings) {
    const Params& p = run.request.params;
    const auto* measured = run.evidence.find<MeasuredEvidence>();
    if (of_all_sizes(p) && measured)
      for (const std::string way : kWays)
        for (const std::uint64_t bytes : all_sizes())
          if (const auto ms = measured->real(way + "_" + std::to_string(bytes) + "_ms"))
            all.curves[{run.request.rung, way, "ms"}][std::int64_t(bytes)] = *ms;
    const auto* transfer = run.evidence.find<TransferEvidence>();
    if (in_chunks(run.request.rung) && transfer && transfer->plain.median && mb_of(p) == kCurveMb &&
        setting(p, "compute", 0) == kCurveCompute && setting(p, "streams", kCurveStreams) == kCurveStreams)
      all.curves[{run.request.rung, "chunk", "us"}][setting(p, "chunk", 0)] = *transfer->plain.median;
  }
  return all;
}

// The recorded copies' rates where there are any.
TransferPlan::Costs costs(const Run& run) {
  TransferPlan::Costs all{known_transfer_costs(), Provenance::modelled()};
  const auto* recorded = run.evidence.find<CurvesEvidence>();
  const auto take = [&](const char* rung, const char* way, double& gb_per_s) {
    const auto* curve = recorded ? recorded->find({rung, way, "ms"}) : nullptr;
    if (!curve) return;
    std::vector<CopyTime> copies;
    for (const auto& [bytes, ms] : *curve) copies.push_back({double(bytes), ms * 1e3});
    const auto fit = fit_copies(copies);
    if (!fit) return;
    gb_per_s = fit->cost.gb_per_s;
    all.provenance = Provenance::modelled(Provenance::Basis::recorded_costs);
  };
  take("pinned", "in", all.costs.pinned_in), take("pinned", "out", all.costs.pinned_out);
  take("pageable", "in", all.costs.pageable_in), take("pageable", "out", all.costs.pageable_out);
  return all;
}

std::vector<std::shared_ptr<const ExperimentPlan>> experiments() {
  auto alone = std::make_shared<MeasurementPlan>();
  alone->measurements = measurements, alone->derived = derived;
  alone->columns = {{"copy in GB/s", "measured.in_gb_per_s"}, {"copy out GB/s", "measured.out_gb_per_s"}};
  auto transfer = std::make_shared<TransferPlan>();
  transfer->timed = timed, transfer->kernels_us = kernels_us;
  transfer->rounds = "rounds", transfer->calibrated_rung = "pinned", transfer->costs = costs;
  auto over_sizes = std::make_shared<CurvesPlan>();
  over_sizes->curves = curves;
  return {alone, over_sizes, transfer};
}

// --- the table ---------------------------------------------------------------------------------------------

Status rule(std::string_view rung, const Params& params) {
  if (!in_chunks(rung)) return Unit{};
  const std::int64_t kb = mb_of(params) * kKbPerMb, chunk = int_param(params, "chunk");
  const std::int64_t chunks = (kb + chunk - 1) / chunk;
  if (chunks <= kMostChunks) return Unit{};
  return bad_input(
      "{0} MB in chunks of {1} KB are {2} chunks, and at most {3} are taken: choose larger chunks",
      {std::to_string(mb_of(params)), std::to_string(chunk), std::to_string(chunks),
       std::to_string(kMostChunks)});
}

Parameter whole(const char* name, double min, double max, std::int64_t start, const char* unit,
                const char* help) {
  Parameter p;
  p.name = name, p.min = min, p.max = max, p.default_value = start, p.unit = unit, p.help = help;
  return p;
}

std::vector<Parameter> parameters() {
  Parameter chunk = whole("chunk", double(kLeastChunkKb), double(kMostMb * kKbPerMb), 4096, "KB",
                          N_("What one copy brings, of the array that is timed."));
  chunk.multiple = kLeastChunkKb, chunk.rungs = {"chunks", "streams"};
  Parameter streams = whole("streams", 1, 8, 3, "", N_("Streams that the chunks are dealt to in turn."));
  streams.rungs = {"streams"};
  Parameter sizes;
  sizes.name = "copies", sizes.type = "choice", sizes.choices = {"one", "all"};
  sizes.default_value = std::string("one"), sizes.rungs = {"pageable", "pinned"};
  sizes.help = N_("Which copies a GPU times alone: one of the rung's, or all sizes from 4 B to 1 GB.");
  return {
      whole("mb", 1, double(kMostMb), 64, "MB",
            N_("The array that a GPU is timed with, and that the model speaks of.")),
      chunk,
      streams,
      whole(
          "compute", 0, 200, 20, "µs/MB",
          N_("How long the kernels run for each MB. A GPU's are made so long by more rounds; the emulator's "
             "make a few.")),
      whole("n", 1, double(kMost), 4096, N_("elements"), N_("Elements of the array that is emulated.")),
      sizes};
}

LabInfo info() {
  LabInfo lab{
      "transfer", N_("transfer"), N_("What does the road between CPU and GPU cost?"), N_("Moving bytes"), {},
      {}};
  lab.rungs = {
      {"pageable", N_("copies from and to memory of malloc"), "transfer/01_pageable.cuh"},
      {"pinned", N_("page-locked: the copy engine goes there itself"), "transfer/02_pinned.cuh"},
      {"mapped", N_("no copy: the kernel reads and writes over the link"), "transfer/03_mapped.cuh"},
      {"managed", N_("pages move when they are touched, also by the CPU that reads the result"),
       "transfer/04_managed.cuh"},
      {"prefetch", N_("pages are sent ahead; here, too, the CPU reads the result"),
       "transfer/05_prefetch.cuh"},
      {"chunks", N_("chunk after chunk in one stream: nothing overlaps"), "transfer/06_chunks.cuh"},
      {"streams", N_("chunks in several streams: in, compute and out at once"), "transfer/07_streams.cuh"},
  };
  lab.parameters = parameters();
  lab.rule = rule;
  lab.set_titles({{"mb", N_("array, timed")},
                  {"chunk", N_("chunk size")},
                  {"streams", N_("streams")},
                  {"compute", N_("kernel time")},
                  {"n", N_("array, emulated")},
                  {"copies", N_("copies timed alone")}});
  lab.set_choice_titles("copies", {{"one", N_("one")}, {"all", N_("all sizes")}});
  lab.set_adds({{"pageable", N_("copy from malloc's memory")},
                {"pinned", N_("+ page-locked memory")},
                {"mapped", N_("the kernel reads the host")},
                {"managed", N_("pages come when touched")},
                {"prefetch", N_("+ pages sent ahead")},
                {"chunks", N_("pinned, in chunks")},
                {"streams", N_("+ several streams")}});
  return lab;
}

using Whole = std::pair<const char*, std::int64_t>;
Params with(std::initializer_list<Whole> values) {
  Params params;
  for (const auto& [name, value] : values) params[name] = value;
  return params;
}

std::vector<RecordedSetting> recorded() {
  std::vector<RecordedSetting> all;
  for (const char* rung : {"pageable", "pinned"}) all.push_back({rung, {{"copies", std::string("all")}}});
  for (const char* rung : {"chunks", "streams"})
    for (const std::int64_t kb : {256, 512, 1024, 2048, 8192, 16384, 32768, 65536})
      all.push_back({rung, with({{"chunk", kb}})});
  for (const std::int64_t streams : {1, 2, 4, 8}) all.push_back({"streams", with({{"streams", streams}})});
  for (const char* rung : {"pinned", "mapped", "managed", "prefetch", "streams"})
    for (const std::int64_t compute : {0, 10, 60}) all.push_back({rung, with({{"compute", compute}})});
  return all;
}

}  // namespace

const Ladder& transfer_ladder() {
  static const Ladder ladder = [] {
    Ladder l;
    l.info = info();
    l.buffers = buffers, l.fill = fill, l.check = check;
    l.bytes = [](const Params& params, std::string_view) { return 8.0 * double(n_of(params)); };
    l.flops = [](const Params& params, std::string_view) {
      return 2.0 * double(setting(params, "rounds", kRounds)) * double(n_of(params));
    };
    l.experiments = experiments();
    l.recorded_params = recorded();
    l.validation_params = {with({{"n", 1}, {"mb", 1}, {"chunk", 1024}}),
                           with({{"n", 31}, {"mb", 1}, {"chunk", 256}, {"streams", 2}}),
                           with({{"n", 33}, {"mb", 3}, {"chunk", 64}, {"streams", 5}}),
                           with({{"n", 1000}, {"mb", 4}, {"chunk", 256}, {"streams", 8}}),
                           with({{"n", (1 << 20) + 17}, {"chunk", 16384}, {"streams", 3}}),
                           {}};
    return l;
  }();
  return ladder;
}

}  // namespace lockstep
