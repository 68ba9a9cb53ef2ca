// What does my stopwatch measure?
// One kernel, four stopwatches. A CPU clock around a launch measures the launch; with a wait behind it, the
// launch, the kernel and the way back; events measure on the GPU. Predict what each will say when the kernel
// is made ten times as long, then move the slider; look at the first run beside the warm ones; overwrite the
// L2.
#include <algorithm>
#include <cmath>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/ranges_scene.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {

// --- steps: one per stopwatch

namespace {

ListAxis stopwatch_axis() {
  ListAxis axis;
  for (int s = 0; s < kStopwatches; ++s) {
    axis.next_phase();
    axis.add(name_of(Stopwatch(s)));
  }
  return axis;
}

}  // namespace

TimingScene::TimingScene(std::shared_ptr<const Run> run)
    : LabScene(std::move(run)), readings(stopwatch_readings(this->run())), steps(stopwatch_axis()) {}

std::string TimingScene::stopwatch_provenance() const {
  return readings.modelled ? "modelled" : std::string(provenance_of(run(), "metrics.stopwatch"));
}

Color TimingScene::phase_color(const Phase& phase) const {
  // Grey where launch and wait are in it, the kernel's own colour where it stands alone.
  const bool gpu = Stopwatch(phase.first % kStopwatches) >= Stopwatch::events;
  return gpu ? color::hbm : Color::hex(0x8D959C);
}

Message TimingScene::phase_name(const Phase& phase) const {
  return msg("{0}", {label_of(Stopwatch(phase.first % kStopwatches))});
}

Message TimingScene::phase_place(const Phase& phase) const {
  return msg("step {0}: one stopwatch", {number_text(phase.first + 1)});
}

Message TimingScene::step_title(const LabView& view) const {
  return msg("{0}", {label_of(Stopwatch(view.step % kStopwatches))});
}

// --- sentence

Message TimingScene::sentence(const LabView& view) const {
  const std::string reading = us_text(readings.us[std::size_t(view.step % kStopwatches)]);
  switch (Stopwatch(view.step % kStopwatches)) {
    case Stopwatch::cpu_unsynced:
      return msg(
          "{0}: that is the launch call alone. When the clock stops, the kernel may not even have started.",
          {reading});
    case Stopwatch::cpu_synced:
      return msg("{0}: the launch, the way to the GPU, the kernel, and the way back to the CPU.", {reading});
    case Stopwatch::events:
      return msg(
          "{0}: the GPU's own clock, from the event before the kernel to the event after it. No launch and "
          "no wait lie between them.",
          {reading});
    case Stopwatch::events_cold:
      break;
  }
  return msg(
      "{0}: the same, but the L2 was overwritten before each launch, so the kernel reads its input from HBM.",
      {reading});
}

// --- headline: what this stopwatch says, what the kernel took, how much of the reading is not the kernel

std::vector<HeadFigure> TimingScene::headline(const LabView& view) const {
  const auto stopwatch = Stopwatch(view.step % kStopwatches);
  const double said = readings.us[std::size_t(stopwatch)], warm = readings.us[std::size_t(Stopwatch::events)];
  const std::string words = stopwatch_provenance();
  std::vector<HeadFigure> figures{{us_text(said), tr("on the clock"), label_of(stopwatch), words, false},
                                  {us_text(warm), tr("kernel"), tr("by CUDA events"), words, false}};
  double around = 0;  // launch and wait
  for (const TimedPart& part : parts_of(readings, stopwatch))
    if (part.kind == TimedKind::call || part.kind == TimedKind::wait)
      around += double(part.end_ns - part.start_ns) / 1e3;
  const std::string share = number_text(std::lround(said > 0 ? 100 * around / said : 0)) + " %";
  switch (stopwatch) {
    case Stopwatch::cpu_unsynced:
      figures.push_back({share, tr("launch"), tr("and nothing of the kernel"), "", false});
      break;
    case Stopwatch::cpu_synced:
      figures.push_back({share, tr("overhead"), tr("launch and wait: {0}", {us_text(around)}), "", false});
      break;
    case Stopwatch::events:
      figures.push_back({share, tr("overhead"), tr("✓ the kernel alone"), "", false});
      break;
    case Stopwatch::events_cold:
      figures.push_back(
          {us_text(std::max(0.0, said - warm)), tr("more"), tr("the input comes from HBM"), "", false});
  }
  return figures;
}

// --- numbers

std::vector<NumberRow> TimingScene::numbers() const {
  std::vector<NumberRow> rows;
  if (readings.modelled) return rows;
  for (int s = 0; s < kStopwatches; ++s)
    rows.push_back({msg("{0}", {label_of(Stopwatch(s))}), us_text(readings.us[std::size_t(s)]),
                    std::string("metrics.stopwatch.") + name_of(Stopwatch(s)) + ".median_us"});
  if (const auto& synced = readings.runs[std::size_t(Stopwatch::cpu_synced)]; synced && synced->first_us > 0)
    rows.push_back(
        {msg("first launch and wait"), us_text(synced->first_us), "metrics.stopwatch.cpu_synced.first_us"});
  for (const ProductTime& p : readings.products)
    rows.push_back({msg("product of {0}", {number_text(p.n)}), flop_rate_text(p.tflops() * 1e12),
                    "metrics.products.n_" + number_text(p.n) + "_us"});
  return rows;
}

// --- entry

namespace {

class TimingLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("timing")->info; }
  std::unique_ptr<LabScene> open(std::shared_ptr<const Run> run) const override {
    return or_its_ranges(run, std::make_unique<TimingScene>(run));
  }
};

}  // namespace

const Lab& timing_lab() {
  static const TimingLab lab;
  return lab;
}

}  // namespace lockstep
