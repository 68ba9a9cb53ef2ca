#include "scene.hpp"

#include <algorithm>
#include <bit>

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

}  // namespace

BlockIssue block_issue(const Run& run) {
  BlockIssue block;
  const Launch* launch = traced_launch(run);
  if (!launch) return block;
  block.warps = issue_of(*launch);
  for (const WarpIssue& warp : block.warps) {
    block.slots += warp.slots, block.lane_slots += warp.lane_slots;
    block.most_slots = std::max(block.most_slots, warp.slots);
  }
  block.places = program_places(block.warps);
  for (const ProgramPlace& place : block.places)
    if (place.kind == Kind::arithmetic) block.sides.push_back(place.line);
  std::sort(block.sides.begin(), block.sides.end());
  block.sides.erase(std::unique(block.sides.begin(), block.sides.end()), block.sides.end());
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
