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
  const std::string one =
      readings.modelled ? tr("One launch, and the wait for it")
                        : tr("One launch, and the wait for it: lengths as read, the kernel put between");
  TimelineLane& cpu = t.add_lane(tr("CPU"), one);
  for (const ApiCall& call : readings.record.calls)
    t.add(cpu, name_of(call.kind), call.start_ns, call.end_ns,
          std::uint16_t(call.kind == ApiKind::synchronize ? TimedKind::wait : TimedKind::call));
  const KernelSpan kernel = readings.record.kernels.front();
  t.add(t.add_lane(tr("GPU"), one), kernel_name, kernel.start_ns, kernel.end_ns,
        std::uint16_t(TimedKind::kernel));
  const std::string group = tr("What each stopwatch takes of it");
  for (int s = 0; s < kStopwatches; ++s) {
    const auto stopwatch = Stopwatch(s);
    const bool events = stopwatch == Stopwatch::events || stopwatch == Stopwatch::events_cold;
    const auto length = std::int64_t(std::llround(readings.us[std::size_t(s)] * 1e3));
    const std::int64_t start = events ? kernel.start_ns : 0;
    readings.span_ids.push_back(t.add(
        t.add_lane(label_of(stopwatch), group), us_text(readings.us[std::size_t(s)]), start, start + length,
        std::uint16_t(stopwatch == Stopwatch::cpu_unsynced ? TimedKind::without : TimedKind::with)));
  }
  t.nest();
}

}  // namespace

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
      return tr("CPU clock and a wait");
    case Stopwatch::events:
      return tr("CUDA events");
    case Stopwatch::events_cold:
      return tr("events, L2 overwritten");
  }
  return "";
}

std::string label_of(Regime regime) {
  switch (regime) {
    case Regime::launch:
      return tr("the launch");
    case Regime::too_small:
      return tr("fewer blocks than SMs");
    case Regime::compute:
      return tr("the arithmetic");
  }
  return "";
}

Plot products_plot(const StopwatchReadings& readings) {
  Plot plot;
  plot.id = "panel/products";
  plot.x = {tr("n of a product of n × n"), 24, 9000, true};
  double most = 1;
  // What a product takes that has next to nothing to do.
  double least_us = 0;
  for (const ProductTime& p : readings.products)
    if (least_us <= 0 || p.us < least_us) least_us = p.us;
  const Color colors[] = {color::trouble, color::registers, color::tensor};
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
