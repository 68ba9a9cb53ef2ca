// What are my warps waiting for?
// Every cycle of one SM, as the model plays the compiled program: each of the four schedulers takes one of
// its warps that can go on. Step cycle by cycle and read why this warp and not that one; double the warps, or
// the chains per warp: which colour shrinks? Under the model stands what an H200 measured, and how far the
// two are apart.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {

// --- steps: one per cycle; a phase is a stretch of cycles in which most warps are in the same state

namespace {

constexpr int kPhases = 64;  // at most

// The file that the program's lines are of: the played rung's, else this lab's own.
std::string program_file(const Run& run, const PlayedWarps& played) {
  const RungName name = rung_named(played.rung).value_or(RungName{run.request.lab, run.request.rung});
  const Ladder* ladder = find_ladder(name.lab);
  if (!ladder) return "";
  return ladder->info.rungs[std::size_t(std::max(0, ladder->info.rung_index(name.rung)))].file;
}

// By cycle: the lines of what issues in it; where nothing does, those at which the warps wait.
std::vector<std::vector<std::uint16_t>> lines_of(const PlayedWarps& played) {
  const SmRun& sm = played.sm;
  std::vector<std::vector<std::uint16_t>> lines(std::size_t(sm.cycles));
  for (int w = 0; w < sm.warps; ++w) {
    const auto& instructions = played.program_of(w).instructions;
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      const int issued = sm.issued[std::size_t(w) * std::size_t(sm.program_size) + i];
      if (issued < sm.cycles) lines[std::size_t(issued)].push_back(instructions[i].line);
    }
  }
  for (int cycle = 0; cycle < sm.cycles; ++cycle) {
    auto& of_cycle = lines[std::size_t(cycle)];
    if (of_cycle.empty())
      for (int w = 0; w < sm.warps; ++w)
        if (const std::uint16_t line = played.line_of(w, cycle)) of_cycle.push_back(line);
    std::sort(of_cycle.begin(), of_cycle.end());
    of_cycle.erase(std::unique(of_cycle.begin(), of_cycle.end()), of_cycle.end());
  }
  return lines;
}

ListAxis cycles_axis(const PlayedWarps& played, std::uint16_t file) {
  ListAxis axis(file);
  const CycleWindow whole{0, played.sm.cycles};
  const int parts = std::min(kPhases, whole.count());
  auto lines = lines_of(played);
  std::optional<WarpState> state;
  for (int p = 0; p < parts; ++p) {
    const CycleWindow part = whole.part(p, parts);
    const WarpState most = most_common(played.sm, 0, played.sm.warps, part);
    if (most != state) axis.next_phase();
    state = most;
    for (int cycle = part.first; cycle < part.end; ++cycle)
      axis.add("cycle", std::move(lines[std::size_t(cycle)]));
  }
  return axis;
}

}  // namespace

SchedulerScene::SchedulerScene(std::shared_ptr<const Run> run)
    : LabScene(std::move(run)),
      played(played_warps(this->run())),
      modelled(modelled_iterations(played)),
      measured(measured_iterations(this->run(), played)),
      curve(throughput_curve(played)),
      file(program_file(this->run(), played)),
      steps(cycles_axis(played, source_id(this->run(), file))),
      enlarged_cells(played.sm),
      whole_cells(played.sm) {
  for (const Phase& phase : steps.phases())
    phase_states_.push_back(
        most_common(played.sm, 0, played.sm.warps, {phase.first, phase.first + phase.count}));
}

WarpState SchedulerScene::state_of(const Phase& phase) const {
  for (std::size_t i = 0; i < phase_states_.size(); ++i)
    if (steps.phases()[i].first == phase.first) return phase_states_[i];
  return WarpState::done;
}

Color SchedulerScene::phase_color(const Phase& phase) const { return state_color(state_of(phase)); }

Message SchedulerScene::phase_name(const Phase& phase) const {
  return msg("most warps: {0}", {tr(played.meaning_of(state_of(phase), true))});
}

Message SchedulerScene::phase_place(const Phase& phase) const {
  return msg("cycles {0} to {1}: here the order is time",
             {grouped(phase.first), grouped(phase.first + phase.count - 1)});
}

// The middle, moved on to where the followed warp's scheduler has a choice.
int SchedulerScene::opening_step(std::int64_t warp) const {
  const int middle = played.sm.cycles / 2, sub_core = played.sub_core_of(warp);
  for (int cycle = middle; cycle < played.sm.cycles; ++cycle)
    if (played.not_selected(sub_core, cycle) > 0 && played.sm.selected(sub_core, cycle) >= 0) return cycle;
  return middle;
}

Message SchedulerScene::step_title(const LabView& view) const {
  return msg("cycle {0}", {grouped(view.step)});
}

// --- sentence

namespace {

Message why_nothing(const PlayedWarps& p, int sub_core, int cycle) {
  const auto warps = p.warps_of(sub_core);
  constexpr std::size_t kFew = 4;
  std::set<std::string> reasons;
  for (const int w : warps) reasons.insert(p.doing(w, cycle));
  if (warps.size() <= kFew && reasons.size() > 1) {
    std::string all;
    for (const int w : warps) all += (all.empty() ? "" : tr("; ")) + p.told(w, cycle);
    return msg("Cycle {0}: scheduler {1} issues nothing ({2}).",
               {grouped(cycle), number_text(sub_core), all});
  }
  std::array<int, kWarpStates> count{};
  for (int i = sub_core; i < p.sm.warps; i += kSubCores) ++count[std::size_t(p.sm.state(i, cycle))];
  const auto most = std::size_t(std::max_element(count.begin(), count.end()) - count.begin());
  return msg("Cycle {0}: scheduler {1} issues nothing, since none of its warps can go on. Most of them: {2}.",
             {grouped(cycle), number_text(sub_core), tr(p.meaning_of(WarpState(most), true))});
}

}  // namespace

Message why_selected(const PlayedWarps& p, int sub_core, int cycle) {
  const int w = p.sm.selected(sub_core, cycle);
  if (w < 0) return why_nothing(p, sub_core, cycle);
  const SmInstruction& i = *p.next_of(w, cycle);
  const std::vector<std::string> args{grouped(cycle), number_text(sub_core), name_of(i.op), number_text(w),
                                      number_text(i.line)};
  if (p.not_selected(sub_core, cycle) == 0)
    return msg(
        "Cycle {0}: scheduler {1} issues {2} from warp {3} (line {4}), the only one of its warps that can go "
        "on.",
        args);
  if (p.policy == Policy::round_robin)
    return msg("Cycle {0}: scheduler {1} issues {2} from warp {3} (line {4}): it is its turn (round robin).",
               args);
  int last = -1;
  for (int c = cycle - 1; c >= 0 && last < 0; --c) last = p.sm.selected(sub_core, c);
  if (last == w)
    return msg(
        "Cycle {0}: scheduler {1} issues {2} from warp {3} (line {4}): it issued last and can still go on, "
        "so "
        "the scheduler stays with it (greedy).",
        args);
  if (p.policy == Policy::greedy_oldest)
    return msg("Cycle {0}: scheduler {1} issues {2} from warp {3} (line {4}): the oldest that can go on.",
               args);
  return msg("Cycle {0}: scheduler {1} issues {2} from warp {3} (line {4}): the youngest that can go on.",
             args);
}

Message SchedulerScene::sentence(const LabView& view) const {
  if (steps.empty()) return msg("This run has no steps.");
  return why_selected(played, played.sub_core_of(view.warp), std::clamp(view.step, 0, played.sm.cycles - 1));
}

// --- headline: who could issue, what the followed warp does, how well the issue slots are used

std::vector<HeadFigure> SchedulerScene::headline(const LabView& view) const {
  if (steps.empty()) return {};
  const int cycle = std::clamp(view.step, 0, played.sm.cycles - 1), sub_core = played.sub_core_of(view.warp),
            warp = int(std::clamp<std::int64_t>(view.warp, 0, std::max(0, played.sm.warps - 1))),
            warps = int(played.warps_of(sub_core).size()), selected = played.sm.selected(sub_core, cycle),
            could = played.not_selected(sub_core, cycle) + (selected >= 0),
            issued = played.issued_by(sub_core), since = played.cycles_in_state(warp, cycle);
  const std::string words = played.provenance(), which = number_text(sub_core);
  // That no warp can go on is no loss while the tensor core does what they have asked for.
  const bool works = played.tensor[std::size_t(sub_core)][std::size_t(cycle)] != 0;
  const std::string taken = selected >= 0 ? tr("warp {0} issues", {number_text(selected)})
                            : works       ? tr("none; the tensor core works")
                                          : tr("none of them can go on");
  const std::string cycles = grouped(played.sm.cycles);
  const auto share = [&](int part) {
    return number_text(std::lround(100.0 * part / std::max(1, played.sm.cycles))) + " %";
  };
  HeadFigure busy{share(issued), tr("busy"),
                  tr("scheduler {0} issues in {1} of {2} cycles", {which, grouped(issued), cycles}), "",
                  false};
  // There a product is one instruction, and the work is the tensor core's.
  if (const int busy_cycles = played.tensor_cycles(sub_core); busy_cycles > 0)
    busy = {share(busy_cycles), tr("tensor busy"), tr("in {0} of {1} cycles", {grouped(busy_cycles), cycles}),
            "", false};
  return {{tr("{0} of {1}", {number_text(could), number_text(warps)}), tr("could issue"), taken, words,
           could == 0 && !works},
          {grouped(since), since == 1 ? tr("cycle like this") : tr("cycles like this"),
           played.told(warp, cycle), "", false},
          busy};
}

// --- numbers

std::vector<NumberRow> SchedulerScene::numbers() const {
  std::vector<NumberRow> rows;
  const auto real = [&](Message label, const std::string& name, auto text) {
    if (const auto value = real_metric(run(), name))
      rows.push_back({std::move(label), text(*value), "metrics." + name});
  };
  const auto whole = [&](Message label, const std::string& name) {
    if (const auto value = whole_metric(run(), name))
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
  if (!played.own()) return rows;  // what a GPU took is the chains'
  if (real_metric(run(), "measured.cycles"))
    real(msg("cycles on a GPU"), "measured.cycles", [](double x) { return grouped(std::int64_t(x)); });
  else
    whole(msg("cycles on a GPU"), "recorded.cycles");
  real(msg("the model is off by"), "model.error",
       [](double x) { return (x > 0 ? "+" : "") + percent_text(x); });
  return rows;
}

// --- entry

namespace {

class SchedulerLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("scheduler")->info; }
  std::unique_ptr<LabScene> open(std::shared_ptr<const Run> run) const override {
    return std::make_unique<SchedulerScene>(std::move(run));
  }
};

}  // namespace

const Lab& scheduler_lab() {
  static const SchedulerLab lab;
  return lab;
}

}  // namespace lockstep
