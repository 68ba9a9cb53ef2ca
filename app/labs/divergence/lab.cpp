// What if lanes disagree?
// A warp issues one instruction at a time, for the lanes that are to execute it. Where its lanes go different
// ways it takes the ways one after the other, and lanes that are not on it wait. The stage shows the followed
// warp, 32 lanes over its issue slots: see half of them wait in `by_lane` and none in `by_warp`; give
// `by_data` a share of 1 % and look for a warp that pays for it; sort the data, and look again.
#include <algorithm>
#include <bit>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {

// --- steps

Color DivergenceScene::phase_color(const Phase& phase) const {
  const ProgramPlace& place = block.places[std::size_t(phase.first)];
  return place_color(block, place.kind, place.line);
}

Message DivergenceScene::phase_name(const Phase& phase) const {
  const ProgramPlace& place = block.places[std::size_t(phase.first)];
  if (place.kind != Kind::arithmetic) return reads(place.kind) ? msg("load") : msg("store");
  const ProgramPlace& last = block.places[std::size_t(phase.first + phase.count - 1)];
  return last.pass == place.pass
             ? msg("pass {0} of the loop", {number_text(std::int64_t(place.pass) + 1)})
             : msg("passes {0} to {1} of the loop",
                   {number_text(std::int64_t(place.pass) + 1), number_text(std::int64_t(last.pass) + 1)});
}

Message DivergenceScene::step_title(const LabView& view) const {
  const ProgramPlace* place = place_of(view.step);
  if (!place) return msg("no step");
  const std::string line = number_text(place->line);
  if (place->kind != Kind::arithmetic) return reads(place->kind) ? msg("load its element") : msg("store");
  return msg("line {0}, pass {1}", {line, number_text(std::int64_t(place->pass) + 1)});
}

// --- sentence

namespace {

Message compute_sentence(const DivergenceScene& scene, const LabView& view, const IssueStep& step) {
  const WarpIssue& warp = *scene.warp_of(view);
  const int there = std::popcount(warp.threads), lanes = step.lanes();
  const int waiting = std::popcount(scene.lanes_left(warp, step)) - lanes;
  const std::vector<std::string> args{number_text(step.instruction.line),
                                      number_text(std::int64_t(warp.warp)), grouped(step.slots),
                                      number_text(lanes), number_text(32 - lanes)};
  if (lanes == 32)
    return step.slots == 1 ? msg("Line {0}: warp {1} issues one instruction for all its lanes.", args)
                           : msg("Line {0}: warp {1} issues {2} instructions, each for all its lanes.", args);
  if (lanes == there)
    return msg("Line {0}: all lanes that warp {1} has are active: {3}. The other {4} are beyond the array.",
               args);
  if (scene.block.predicated)
    return msg(
        "Line {0}: warp {1} issues the instruction for {3} of its 32 lanes. In the other {4} its "
        "condition is false: they keep what they have.",
        args);
  if (waiting == 0)
    return step.slots == 1
               ? msg("Line {0}: warp {1} issues an instruction for {3} of its 32 lanes. The other {4} are "
                     "gone.",
                     args)
               : msg("Line {0}: warp {1} issues {2} instructions for {3} of its 32 lanes. The other {4} are "
                     "gone, but the slots are taken all the same.",
                     args);
  if (step.slots == 1)
    return msg("Line {0}: warp {1} issues an instruction for {3} of its 32 lanes. The other {4} wait.", args);
  return msg(
      "Line {0}: warp {1} issues {2} instructions for {3} of its 32 lanes. The other {4} wait: these slots "
      "do nothing for them.",
      args);
}

}  // namespace

Message DivergenceScene::sentence(const LabView& view) const {
  const ProgramPlace* place = place_of(view.step);
  const WarpIssue* warp = warp_of(view);
  if (!place || !warp) return msg("This run has no steps.");
  const IssueStep* step = step_of(view);
  const std::vector<std::string> args{number_text(place->line), number_text(std::int64_t(warp->warp)),
                                      step ? number_text(step->lanes()) : "",
                                      number_text(std::int64_t(place->pass) + 1)};
  if (!step)
    return place->kind == Kind::arithmetic
               ? msg("Line {0} in pass {3}: other warps go this way. No lane of warp {1} does in this pass, "
                     "and "
                     "it costs this warp nothing.",
                     args)
               : msg("Line {0}: no lane of warp {1} comes here. It costs this warp nothing.", args);
  if (step->arithmetic()) return compute_sentence(*this, view, *step);
  return reads(place->kind) ? msg("Line {0}: {2} lanes of warp {1} load their elements.", args)
                            : msg("Line {0}: {2} lanes of warp {1} store.", args);
}

// --- headline

std::vector<HeadFigure> DivergenceScene::headline(const LabView& view) const {
  const WarpIssue* warp = warp_of(view);
  if (!warp || steps.empty()) return {};
  const IssueStep* step = step_of(view);
  const std::string counts(provenance_of(run(), "counts"));
  const std::string number = number_text(std::int64_t(warp->warp));
  std::vector<HeadFigure> all;
  const int lanes = step ? step->lanes() : 0;
  all.push_back({tr("{0} of {1}", {number_text(lanes), "32"}), tr("lanes work"),
                 !step              ? tr("warp {0} does not take part", {number})
                 : step->slots == 1 ? tr("in one issue slot of warp {0}", {number})
                                    : tr("in {0} issue slots of warp {1}", {grouped(step->slots), number}),
                 counts, step && lanes < 32});
  all.push_back({grouped(warp->slots), tr("slots"), tr("warp {0} issues in all", {number}), counts, false});
  all.push_back({percent_text(warp->efficiency()), tr("at work"), tr("of 32 lanes in each of these slots"),
                 counts, warp->efficiency() < 0.75});
  return all;
}

// --- numbers

std::vector<NumberRow> DivergenceScene::numbers() const {
  std::vector<NumberRow> rows;
  const auto whole = [&](Message label, const std::string& name) {
    if (const auto value = whole_metric(run(), name))
      rows.push_back({std::move(label), grouped(*value), "metrics." + name});
  };
  if (block.predicated) {
    rows.push_back({msg("issue slots, block"), grouped(block.slots), "metrics.issue_slots"});
    rows.push_back({msg("active lanes per slot"), figure_text(double(block.lane_slots) / double(block.slots)),
                    "metrics.active_threads_per_warp"});
    whole(msg("issue slots, with a jump over a side that nobody takes"), "issue_slots");
    whole(msg("cycles with such jumps, the block alone on an SM"), "model.cycles");
  } else {
    whole(msg("issue slots, block"), "issue_slots");
    if (const auto active = real_metric(run(), "active_threads_per_warp"))
      rows.push_back({msg("active lanes per slot"), figure_text(*active), "metrics.active_threads_per_warp"});
    whole(msg("cycles, the block alone on an SM"), "model.cycles");
  }
  if (const auto cycles = real_metric(run(), "measured.cycles"))
    rows.push_back({msg("cycles on a GPU"), grouped(std::int64_t(*cycles)), "metrics.measured.cycles"});
  if (const auto error = real_metric(run(), "model.error"))
    rows.push_back(
        {msg("the model is off by"), (*error > 0 ? "+" : "") + percent_text(*error), "metrics.model.error"});
  return rows;
}

// --- entry

namespace {

class DivergenceLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("divergence")->info; }
  std::unique_ptr<LabScene> open(std::shared_ptr<const Run> run) const override {
    return std::make_unique<DivergenceScene>(std::move(run));
  }
};

}  // namespace

const Lab& divergence_lab() {
  static const DivergenceLab lab;
  return lab;
}

}  // namespace lockstep
