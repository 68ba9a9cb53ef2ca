// What does my stopwatch measure?
// One kernel, four stopwatches. A CPU clock around a launch measures the launch; with a wait behind it, the
// launch, the kernel and the way back; events measure on the GPU. Predict what each will say when the kernel
// is made ten times as long, then move the slider; look at the first run beside the warm ones; overwrite the
// L2.
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/ranges_picture.hpp"
#include "kernels/ladder.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

class TimingLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("timing")->info; }
  StepAxis steps(const Run& run) const override;
  int opening_step(const Run& run, const StepAxis&) const override {
    return shows_ranges(run) ? ranges_opening_step(run) : 0;
  }
  void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const override {
    shows_ranges(in.run) ? draw_ranges(canvas, in, events) : draw_timing(canvas, in, events);
  }
  Message step_title(const Run& run, const StepAxis&, int step) const override {
    if (shows_ranges(run)) return ranges_step_title(run, step);
    return msg("{0}", {label_of(Stopwatch(step % kStopwatches))});
  }
  Message sentence(const Run& run, const StepAxis& axis, int step) const override;
  Color phase_color(const Run&, const Phase& phase) const override {
    if (of_ranges(phase)) return ranges_phase_color(phase);
    return phase.mark == int(Stopwatch::cpu_unsynced) ? color::trouble : color::shared;
  }
  Message phase_name(const Run&, const Phase& phase) const override {
    if (of_ranges(phase)) return ranges_phase_name(phase);
    return msg("{0}", {label_of(Stopwatch(phase.mark % kStopwatches))});
  }
  Message phase_place(const StepAxis&, const Phase& phase) const override {
    if (of_ranges(phase)) return ranges_phase_place(phase);
    return msg("step {0}: one stopwatch", {std::to_string(phase.first + 1)});
  }
  std::vector<NumberRow> numbers(const Run& run) const override;
  std::vector<Message> things_to_try() const override;
  std::optional<Timeline> timeline(const Run& run) const override { return timing_scene(run)->timeline; }
};

// --- steps
// ---------------------------------------------------------------------------------------------

// One step per stopwatch, or per range.
StepAxis TimingLab::steps(const Run& run) const {
  const std::uint16_t file = file_id(info().rungs.front().file.c_str());
  if (shows_ranges(run)) return ranges_steps(run, file);
  StepAxis axis;
  Step one;
  one.instruction.file = file;
  axis.steps.assign(kStopwatches, one);
  axis.groups.resize(kStopwatches);
  for (int s = 0; s < kStopwatches; ++s) {
    Phase phase;
    phase.first = s, phase.count = 1, phase.mark = std::uint16_t(s), phase.role = Role::marked;
    axis.phases.push_back(phase);
  }
  return axis;
}

Message TimingLab::sentence(const Run& run, const StepAxis&, int step) const {
  if (shows_ranges(run)) return ranges_sentence(run, step);
  const auto scene = timing_scene(run);
  const std::string says = us_text(scene->says_us[std::size_t(step % kStopwatches)]);
  switch (Stopwatch(step % kStopwatches)) {
    case Stopwatch::cpu_unsynced:
      return msg("{0}: the launch call alone. The kernel may not even have started when the clock stops.",
                 {says});
    case Stopwatch::cpu_synced:
      return msg("{0}: the launch, the way to the GPU, the kernel, and the way back to the CPU.", {says});
    case Stopwatch::events:
      return msg(
          "{0}: from event to event on the GPU, which was kept busy before: else the launch would lie "
          "between them.",
          {says});
    case Stopwatch::events_cold:
      break;
  }
  return msg("{0}: the same, with the L2 overwritten before: the input comes from HBM.", {says});
}

// --- numbers
// ---------------------------------------------------------------------------------------------

std::vector<NumberRow> TimingLab::numbers(const Run& run) const {
  std::vector<NumberRow> rows;
  const auto scene = timing_scene(run);
  if (scene->modelled) return rows;
  for (int s = 0; s < kStopwatches; ++s)
    rows.push_back({msg("{0}", {label_of(Stopwatch(s))}), us_text(scene->says_us[std::size_t(s)]),
                    std::string("metrics.stopwatch.") + name_of(Stopwatch(s)) + ".median_us"});
  if (const auto& synced = scene->runs[std::size_t(Stopwatch::cpu_synced)]; synced && synced->first_us > 0)
    rows.push_back(
        {msg("first launch and wait"), us_text(synced->first_us), "metrics.stopwatch.cpu_synced.first_us"});
  for (const ProductTime& p : scene->products)
    rows.push_back({msg("product of {0}", {std::to_string(p.n)}), flop_rate_text(p.tflops() * 1e12),
                    "metrics.products.n_" + std::to_string(p.n) + "_us"});
  return rows;
}

std::vector<Message> TimingLab::things_to_try() const {
  return {msg("Make the kernel 16 times as long. Which stopwatch does not notice?"),
          msg("How much slower is the first run, and why is it the first one only?"),
          msg("Show the ranges: what took longest, and was it the kernel?"),
          msg("Overwrite the L2: from which size on does it no longer matter?"),
          msg("Predict first: how many TFLOP/s does a product of 128 reach? What bounds it?")};
}

}  // namespace

const Lab& timing_lab() {
  static const TimingLab lab;
  return lab;
}

}  // namespace lockstep
