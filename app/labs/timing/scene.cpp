#include "scene.hpp"

#include <algorithm>
#include <cmath>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"

namespace lockstep {
namespace {

// How long the kernel takes by what is known of an H200: a tiny kernel in a graph 0.76 us, a copy 4.27 TB/s
// (2026-11-21).
double modelled_length_us(std::int64_t elements) {
  constexpr double kTiny_us = 0.76, kBytesPerUs = 4.27e6;
  return kTiny_us + 8.0 * double(elements) / kBytesPerUs;
}

double median_of(const StopwatchReadings& readings, Stopwatch stopwatch) {
  const auto& runs = readings.runs[std::size_t(stopwatch)];
  return runs ? quantiles(runs->runs).median : 0;
}

// One launch and one wait. As it was read: the call as long as the clock without a wait says, the kernel as
// the events say, and put in the middle of what the clock with a wait leaves of its time.
void make_record(StopwatchReadings& readings, const std::string& kernel, std::int64_t elements) {
  LaunchCosts costs = known_launch_costs();
  double length = modelled_length_us(elements);
  if (readings.modelled) {
    readings.record = modelled_stream({{kernel, 0, {}}}, {length}, costs);
    readings.us = {costs.launch, readings.record.total_us(), length, length};
    return;
  }
  for (int s = 0; s < kStopwatches; ++s) readings.us.push_back(median_of(readings, Stopwatch(s)));
  length = median_of(readings, Stopwatch::events);
  costs.launch = median_of(readings, Stopwatch::cpu_unsynced);
  const double rest = median_of(readings, Stopwatch::cpu_synced) - costs.launch - length;
  costs.latency = costs.synchronize = std::max(0.0, rest / 2);
  readings.record = modelled_stream({{kernel, 0, {}}}, {length}, costs);
}

void make_timeline(StopwatchReadings& readings, const std::string& kernel_name) {
  Timeline& t = readings.timeline;
  const std::string one = tr("What happens: the CPU launches the kernel and waits for it");
  TimelineLane& cpu = t.add_lane(tr("CPU"), one);
  for (const ApiCall& call : readings.record.calls)
    t.add(cpu, name_of(call.kind), call.start_ns, call.end_ns,
          std::uint16_t(call.kind == ApiKind::synchronize ? TimedKind::wait : TimedKind::call));
  const KernelSpan kernel = readings.record.kernels.front();
  t.add(t.add_lane(readings.modelled ? tr("GPU") : tr("GPU (start estimated)"), one), kernel_name,
        kernel.start_ns, kernel.end_ns, std::uint16_t(TimedKind::kernel));
  const std::string group = tr("What each stopwatch includes of it");
  for (int s = 0; s < kStopwatches; ++s) {
    const std::string reading = us_text(readings.us[std::size_t(s)]);
    TimelineLane& lane = t.add_lane(tr("{0}: {1}", {label_of(Stopwatch(s)), reading}), group);
    std::vector<std::uint32_t>& ids = readings.span_ids.emplace_back();
    for (const TimedPart& part : parts_of(readings, Stopwatch(s)))
      ids.push_back(t.add(lane, part_name(part.kind), part.start_ns, part.end_ns, std::uint16_t(part.kind)));
  }
  t.nest();
}

}  // namespace

std::string part_name(TimedKind kind) {
  switch (kind) {
    case TimedKind::call:
      return tr("launch call");
    case TimedKind::wait:
      return tr("waiting");
    case TimedKind::kernel:
      return tr("kernel");
    case TimedKind::memory:
      break;
  }
  return tr("reading from HBM");
}

std::vector<TimedPart> parts_of(const StopwatchReadings& readings, Stopwatch stopwatch) {
  const KernelSpan kernel = readings.record.kernels.front();
  const auto ns = [&](Stopwatch s) { return std::int64_t(std::llround(readings.us[std::size_t(s)] * 1e3)); };
  const std::int64_t length = ns(stopwatch), launch = std::min(ns(Stopwatch::cpu_unsynced), length);
  std::vector<TimedPart> parts;
  const auto add = [&](TimedKind kind, std::int64_t start, std::int64_t end) {
    if (end > start) parts.push_back({kind, start, end});
  };
  switch (stopwatch) {
    case Stopwatch::cpu_unsynced:
      add(TimedKind::call, 0, length);
      return parts;
    case Stopwatch::cpu_synced:
      add(TimedKind::call, 0, launch);
      add(TimedKind::wait, launch, std::min(kernel.start_ns, length));
      add(TimedKind::kernel, std::max(launch, kernel.start_ns), std::min(kernel.end_ns, length));
      add(TimedKind::wait, kernel.end_ns, length);
      return parts;
    case Stopwatch::events:
    case Stopwatch::events_cold:
      break;
  }
  const std::int64_t warm = std::min(length, ns(Stopwatch::events)), start = kernel.start_ns;
  add(TimedKind::kernel, start, start + warm);
  add(TimedKind::memory, start + warm, start + length);
  return parts;
}

StopwatchReadings stopwatch_readings(const Run& run) {
  StopwatchReadings readings;
  for (int s = 0; s < kStopwatches; ++s) readings.runs.push_back(runs_of(run, Stopwatch(s)));
  readings.modelled =
      std::any_of(readings.runs.begin(), readings.runs.end(), [](const auto& r) { return !r; });
  readings.products = products_of(run);
  const auto* evidence = run.evidence.find<StopwatchEvidence>();
  readings.multiprocessors = int(evidence ? evidence->multiprocessors.value_or(1) : 1);
  const auto elements = run.request.params.find("elements");
  const auto* count =
      elements == run.request.params.end() ? nullptr : std::get_if<std::int64_t>(&elements->second);
  make_record(readings, run.request.rung, count ? *count : 0);
  make_timeline(readings, run.request.rung);
  return readings;
}

std::string label_of(Stopwatch stopwatch) {
  switch (stopwatch) {
    case Stopwatch::cpu_unsynced:
      return tr("CPU clock, no wait");
    case Stopwatch::cpu_synced:
      return tr("CPU clock, then a wait");
    case Stopwatch::events:
      return tr("CUDA events");
    case Stopwatch::events_cold:
      return tr("CUDA events, cold L2");
  }
  return "";
}

std::string label_of(Regime regime) {
  switch (regime) {
    case Regime::launch:
      return tr("launch");
    case Regime::too_small:
      return tr("too few blocks");
    case Regime::compute:
      return tr("arithmetic");
  }
  return "";
}

Plot products_plot(const StopwatchReadings& readings) {
  Plot plot;
  plot.id = "panel/products";
  plot.x = {tr("n, of n × n matrices"), 24, 9000, true};
  double most = 1;
  // What a product takes that has next to nothing to do.
  double least_us = 0;
  for (const ProductTime& p : readings.products)
    if (least_us <= 0 || p.us < least_us) least_us = p.us;
  // A cost has no colour; arithmetic has that of its unit.
  const Color colors[] = {Color::hex(0x9AA1A7), Color::hex(0x6B747B), color::tensor};
  for (const Regime regime : {Regime::launch, Regime::too_small, Regime::compute}) {
    PlotSeries series{label_of(regime), {}, colors[int(regime)], PlotMark::dots};
    for (const ProductTime& p : readings.products)
      if (regime_of(p.us, least_us, p.blocks, readings.multiprocessors) == regime) {
        series.points.push_back({double(p.n), p.tflops(), number_text(p.n)});
        most = std::max(most, p.tflops());
      }
    if (!series.points.empty()) plot.series.push_back(std::move(series));
  }
  plot.y = {tr("TFLOP/s"), 1e-3, most * 2, true};
  return plot;
}

}  // namespace lockstep
