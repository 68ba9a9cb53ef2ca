// What are my warps waiting for?
// Every cycle of one SM, as the model plays the compiled program: each of the four schedulers takes one of
// its warps that can go on. Step cycle by cycle and read why this warp and not that one; double the warps, or
// the chains per warp: which colour shrinks? Under the model stands what an H200 measured, and how far the
// two are apart.
#include <algorithm>
#include <cstdio>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "kernels/ladder.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

class SchedulerLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("scheduler")->info; }
  StepAxis steps(const Run& run) const override;
  int opening_step(const Run& run, const StepAxis& axis) const override;
  void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const override {
    draw_scheduler(canvas, in, events);
  }
  Message step_title(const Run&, const StepAxis&, int step) const override {
    return msg("cycle {0}", {grouped(step)});
  }
  Message sentence(const Run& run, const StepAxis& axis, int step) const override;
  Color phase_color(const Run&, const Phase& phase) const override {
    return state_color(WarpState(phase.mark % kWarpStates));
  }
  Message phase_name(const Run&, const Phase& phase) const override {
    return msg("most warps: {0}", {tr(state_label(WarpState(phase.mark % kWarpStates)))});
  }
  Message phase_place(const StepAxis&, const Phase& phase) const override {
    return msg("cycles {0} to {1}: here the order is time",
               {grouped(phase.first), grouped(phase.first + phase.count - 1)});
  }
  std::vector<NumberRow> numbers(const Run& run) const override;
  std::string shown_source(const Run& run) const override { return source_of(*played_of(run)); }
  std::vector<Message> things_to_try() const override;
  std::optional<Timeline> timeline(const Run& run) const override { return scheduler_timeline(run); }
};

// --- steps
// ------------------------------------------------------------------------------------------------------

constexpr int kPhases = 64;

// One step per cycle; a phase is a stretch of cycles in which most warps are in the same state.
StepAxis SchedulerLab::steps(const Run& run) const {
  const auto played = played_of(run);
  const SmRun& sm = played->sm;
  StepAxis axis;
  Step cycle;
  cycle.instruction.file = file_id(source_of(*played).c_str());
  axis.steps.assign(std::size_t(sm.cycles), cycle), axis.groups.resize(std::size_t(sm.cycles));
  for (int w = 0; w < sm.warps; ++w)
    for (int i = 0; i < sm.program_size; ++i) {
      const int issued = sm.issued[std::size_t(w) * std::size_t(sm.program_size) + std::size_t(i)];
      if (issued < sm.cycles)
        axis.groups[std::size_t(issued)].lines.push_back(played->program.instructions[std::size_t(i)].line);
    }
  for (StepGroup& group : axis.groups) {
    std::sort(group.lines.begin(), group.lines.end());
    group.lines.erase(std::unique(group.lines.begin(), group.lines.end()), group.lines.end());
  }
  for (int p = 0; p < kPhases; ++p) {
    const int first = int(std::int64_t(sm.cycles) * p / kPhases),
              end = int(std::int64_t(sm.cycles) * (p + 1) / kPhases);
    if (first == end) continue;
    const auto mark = std::uint16_t(most_common(sm, 0, sm.warps, first, end));
    if (!axis.phases.empty() && axis.phases.back().mark == mark) {
      axis.phases.back().count += end - first;
      continue;
    }
    Phase phase;
    phase.first = first, phase.count = end - first, phase.mark = mark, phase.role = Role::marked;
    axis.phases.push_back(phase);
  }
  return axis;
}

// The middle, moved on to where the followed warp's scheduler has a choice.
int SchedulerLab::opening_step(const Run& run, const StepAxis& axis) const {
  const auto played = played_of(run);
  const int middle = int(axis.steps.size()) / 2, sub_core = int(run.request.warp) % kSubCores;
  for (int cycle = middle; cycle < played->sm.cycles; ++cycle) {
    int passed_over = 0;
    for (int w = sub_core; w < played->sm.warps; w += kSubCores)
      passed_over += played->sm.state(w, cycle) == WarpState::not_selected;
    if (passed_over > 0 && played->sm.selected(sub_core, cycle) >= 0) return cycle;
  }
  return middle;
}

Message SchedulerLab::sentence(const Run& run, const StepAxis&, int step) const {
  const auto played = played_of(run);
  const int sub_core = int(run.request.warp) % kSubCores;
  return why_selected(*played, sub_core, std::min(step, played->sm.cycles - 1));
}

// --- numbers
// ------------------------------------------------------------------------------------------------------

std::vector<NumberRow> SchedulerLab::numbers(const Run& run) const {
  std::vector<NumberRow> rows;
  const auto real = [&](Message label, const std::string& name, auto text) {
    if (const auto value = real_metric(run, name))
      rows.push_back({std::move(label), text(*value), "metrics." + name});
  };
  const auto whole = [&](Message label, const std::string& name) {
    if (const auto value = whole_metric(run, name))
      rows.push_back({std::move(label), grouped(*value), "metrics." + name});
  };
  const auto two_digits = [](double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", x);
    return std::string(text);
  };
  real(msg("instructions per cycle"), "model.ipc", two_digits);
  real(msg("issue slots used"), "model.issue_slots_used", percent_text);
  real(msg("eligible warps"), "model.eligible_warps", two_digits);
  whole(msg("cycles"), "model.cycles");
  if (!played_of(run)->own()) return rows;  // what a GPU took is the chains'
  if (real_metric(run, "measured.cycles"))
    real(msg("cycles on a GPU"), "measured.cycles", [](double x) { return grouped(std::int64_t(x)); });
  else
    whole(msg("cycles on a GPU"), "recorded.cycles");
  real(msg("the model is off by"), "model.error",
       [](double x) { return (x > 0 ? "+" : "") + percent_text(x); });
  return rows;
}

std::vector<Message> SchedulerLab::things_to_try() const {
  return {msg("Double the warps. Which colour shrinks?"),
          msg("Keep 8 warps, raise ilp to 4: is it the same as four times the warps?"),
          msg("Predict first: where does the curve leave Little's line?"),
          msg("Set latency to 30: what do the warps wait for now?"),
          msg("Set program to gemm/shared: which waits are new, and what stands in their lines?"),
          msg("Take round robin with 32 FMAs per load: why is greedy not slower?")};
}

}  // namespace

const Lab& scheduler_lab() {
  static const SchedulerLab lab;
  return lab;
}

}  // namespace lockstep
