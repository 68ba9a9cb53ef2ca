#include "scene.hpp"

#include <algorithm>
#include <bit>

#include "kernels/divergence/sizes.hpp"

namespace lockstep {
namespace {

const Launch* traced_launch(const Run& run) {
  for (const Launch& launch : run.launches)
    if (!launch.trace.events.empty()) return &launch;
  return nullptr;
}

// A phase: a pass of the loop; before and behind them what moves data.
constexpr int kMostPhases = 64;

std::uint32_t phase_of(const ProgramPlace& place, std::uint32_t passes) {
  if (place.kind != Kind::arithmetic) return reads(place.kind) ? 0 : UINT32_MAX;
  const std::uint32_t each = std::max<std::uint32_t>(1, (passes + kMostPhases - 1) / kMostPhases);
  return 1 + place.pass / each;
}

ListAxis axis_of(const BlockIssue& block) {
  ListAxis axis(block.places.empty() ? std::uint16_t{0} : block.places.front().file);
  std::uint32_t passes = 1;
  for (const ProgramPlace& place : block.places) passes = std::max(passes, place.pass + 1);
  std::optional<std::uint32_t> phase;
  for (const ProgramPlace& place : block.places) {
    const std::uint32_t now = phase_of(place, passes);
    if (now != phase) axis.next_phase();
    phase = now;
    const char* words = place.kind == Kind::arithmetic ? "compute" : reads(place.kind) ? "load" : "store";
    axis.add(words, {place.line});
  }
  return axis;
}

// Where the kernel says its rounds, they tell one pass from the next, and not how often a lane came by.
void by_rounds(std::vector<WarpIssue>& warps) {
  bool said = false;
  for (const WarpIssue& warp : warps)
    for (const IssueStep& step : warp.steps) said |= step.instruction.iteration > 0;
  if (!said) return;
  for (WarpIssue& warp : warps)
    for (IssueStep& step : warp.steps) step.instruction.visit = 0;
}

// Of two instructions of one round that no lane has both of, the one that stands first in the program: lanes
// that return store before the others go on.
void in_program_order(WarpIssue& warp) {
  for (std::size_t i = 1; i < warp.steps.size(); ++i)
    for (std::size_t k = i; k > 0; --k) {
      const WarpInstruction &before = warp.steps[k - 1].instruction, &own = warp.steps[k].instruction;
      if (own.iteration != before.iteration || (own.lanes & before.lanes) || own.line >= before.line) break;
      std::swap(warp.steps[k - 1], warp.steps[k]);
    }
}

// The sides as the compiler has the warp issue them: also one that none of its lanes needs.
void predicate(WarpIssue& warp, std::span<const std::uint16_t> sides) {
  std::vector<IssueStep> all;
  for (std::size_t i = 0; i < warp.steps.size();) {
    const IssueStep first = warp.steps[i];
    if (!first.arithmetic()) {
      all.push_back(first), ++i;
      continue;
    }
    for (const std::uint16_t line : sides) {
      const bool own = i < warp.steps.size() && warp.steps[i].arithmetic() &&
                       warp.steps[i].instruction.iteration == first.instruction.iteration &&
                       warp.steps[i].instruction.line == line;
      IssueStep step = own ? warp.steps[i++] : first;
      if (!own) step.instruction.line = line, step.instruction.lanes = 0;
      all.push_back(step);
    }
  }
  warp.steps = std::move(all);
}

void add_up(WarpIssue& warp) {
  warp.slots = warp.lane_slots = 0;
  for (IssueStep& step : warp.steps) {
    step.first = warp.slots;
    warp.slots += step.slots, warp.lane_slots += step.slots * step.lanes();
  }
}

std::vector<std::uint16_t> sides_of(std::span<const WarpIssue> warps) {
  std::vector<std::uint16_t> lines;
  for (const WarpIssue& warp : warps)
    for (const IssueStep& step : warp.steps)
      if (step.arithmetic()) lines.push_back(step.instruction.line);
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

// Both sides of all rounds, and the accesses of by_lane; more where a warp issues more. A single side of one
// multiply-add, and loops, have a width of their own.
std::int64_t slots_across(const Run& run, std::int64_t most) {
  constexpr std::int64_t kAccesses = 3;
  const auto rounds = run.request.params.find("rounds");
  if (rounds == run.request.params.end() || run.request.rung == "loop" || run.request.rung == "short_side")
    return most;
  return std::max(most, 2 * std::get<std::int64_t>(rounds->second) * kFmas + kAccesses);
}

}  // namespace

BlockIssue block_issue(const Run& run) {
  BlockIssue block;
  const Launch* launch = traced_launch(run);
  if (!launch) return block;
  block.warps = issue_of(*launch);
  by_rounds(block.warps);
  block.sides = sides_of(block.warps);
  block.predicated = run.request.rung == "short_side" && block.sides.size() == 2;
  for (WarpIssue& warp : block.warps) {
    in_program_order(warp);
    if (block.predicated) predicate(warp, block.sides);
    add_up(warp);
    block.slots += warp.slots, block.lane_slots += warp.lane_slots;
    block.most_slots = std::max(block.most_slots, warp.slots);
  }
  block.places = program_places(block.warps);
  block.slots_across = slots_across(run, block.most_slots);
  return block;
}

DivergenceScene::DivergenceScene(std::shared_ptr<const Run> shared_run)
    : LabScene(std::move(shared_run)), block(block_issue(run())), steps(axis_of(block)) {}

const WarpIssue* DivergenceScene::warp_of(const LabView& view) const {
  if (block.warps.empty()) return nullptr;
  return &block.warps[std::size_t(
      std::clamp<std::int64_t>(view.warp, 0, std::int64_t(block.warps.size()) - 1))];
}

const ProgramPlace* DivergenceScene::place_of(int step) const {
  return step >= 0 && step < steps.count() ? &block.places[std::size_t(step)] : nullptr;
}

const IssueStep* DivergenceScene::step_of(const LabView& view) const {
  const ProgramPlace* place = place_of(view.step);
  const WarpIssue* warp = warp_of(view);
  if (!place || !warp) return nullptr;
  const int own = place->of_warp[warp->warp];
  return own < 0 ? nullptr : &warp->steps[std::size_t(own)];
}

std::uint32_t DivergenceScene::lanes_left(const WarpIssue& warp, const IssueStep& step) const {
  std::uint32_t left = 0;
  for (auto at = std::size_t(&step - warp.steps.data()); at < warp.steps.size(); ++at)
    left |= warp.steps[at].instruction.lanes;
  return left;
}

// The first arithmetic that not all of the warp's lanes do; where they agree, its first.
int DivergenceScene::opening_step(std::int64_t warp) const {
  int first = -1;
  for (int s = 0; s < steps.count(); ++s) {
    LabView view;
    view.step = s, view.warp = warp;
    const IssueStep* step = step_of(view);
    if (!step || !step->arithmetic()) continue;
    if (step->instruction.lanes != warp_of(view)->threads) return s;
    if (first < 0) first = s;
  }
  return std::max(0, first);
}

std::string DivergenceScene::step_figure_names() const {
  return "lanes, slots, warp_slots, warp_lanes, block_slots, line, warp";
}

std::optional<double> DivergenceScene::step_figure(std::string_view name, const LabView& view) const {
  const WarpIssue* warp = warp_of(view);
  const ProgramPlace* place = place_of(view.step);
  if (!warp || !place) return {};
  const IssueStep* step = step_of(view);
  if (name == "lanes") return step ? double(step->lanes()) : 0;
  if (name == "slots") return step ? double(step->slots) : 0;
  if (name == "warp_slots") return double(warp->slots);
  if (name == "warp_lanes") return 32 * warp->efficiency();
  if (name == "block_slots") return double(block.slots);
  if (name == "line") return double(place->line);
  if (name == "warp") return double(warp->warp);
  return {};
}

Color place_color(const BlockIssue& block, Kind kind, std::uint16_t line) {
  if (kind != Kind::arithmetic) return reads(kind) ? color::hbm : color::l2;
  constexpr Color kSides[] = {color::registers, color::shared, color::tensor};
  const auto at = std::find(block.sides.begin(), block.sides.end(), line) - block.sides.begin();
  return kSides[std::size_t(at) % std::size(kSides)];
}

}  // namespace lockstep
