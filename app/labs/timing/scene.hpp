// One kernel and what each stopwatch takes of it; many runs; products from too small to full.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/draw/plot.hpp"
#include "app/labs/lab.hpp"
#include "app/model/list_axis.hpp"
#include "app/model/pipeline.hpp"
#include "app/model/stopwatch.hpp"
#include "app/model/timeline.hpp"

namespace lockstep {

// Kinds of the timeline's spans, which are the parts of a stopwatch's reading; `memory`: what the kernel
// takes longer because its input is not in the L2.
enum class TimedKind : std::uint16_t { call, wait, kernel, memory };
constexpr int kTimedKinds = 4;

struct StopwatchReadings {
  bool modelled = false;  // no GPU's times: the models' costs and a length that stands for one
  std::vector<std::optional<StopwatchRuns>> runs;  // by stopwatch
  std::vector<ProductTime> products;
  int multiprocessors = 1;  // of the GPU that timed them, which may be a recording's
  PipelineRecord record;    // one launch and one wait
  std::vector<double> us;   // by stopwatch: what it says of them
  Timeline timeline;        // the record, and a lane for each stopwatch with its parts
  std::vector<std::vector<std::uint32_t>> span_ids;  // by stopwatch, of its parts
};
StopwatchReadings stopwatch_readings(const Run& run);

// A part of what a stopwatch says, on the record's axis.
struct TimedPart {
  TimedKind kind = TimedKind::call;
  std::int64_t start_ns = 0, end_ns = 0;
};
// One behind the other, from where the stopwatch starts to where it stops.
std::vector<TimedPart> parts_of(const StopwatchReadings& readings, Stopwatch stopwatch);

// In words, for people.
std::string label_of(Stopwatch stopwatch);
std::string label_of(Regime regime);
std::string part_name(TimedKind kind);

// TFLOP/s against n, one series for each regime.
Plot products_plot(const StopwatchReadings& readings);

struct TimingScene final : LabScene {
  explicit TimingScene(std::shared_ptr<const Run> run);

  const StopwatchReadings readings;
  const ListAxis steps;
  std::string stopwatch_provenance() const;

  const Axis& axis() const override { return steps; }
  int opening_step(std::int64_t) const override { return 0; }
  Message step_title(const LabView& view) const override;
  Message sentence(const LabView& view) const override;
  std::vector<HeadFigure> headline(const LabView& view) const override;
  std::optional<double> step_figure(std::string_view name, const LabView& view) const override;
  std::string step_figure_names() const override;
  Color phase_color(const Phase& phase) const override;
  Message phase_name(const Phase& phase) const override;
  Message phase_place(const Phase& phase) const override;
  void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const override;
  void card(Canvas& canvas, const StageInput& in) const override;
  std::vector<NumberRow> numbers() const override;
  bool steps_are_launched() const override { return false; }  // they are stopwatches
  std::optional<Timeline> timeline() const override { return readings.timeline; }
};

}  // namespace lockstep
