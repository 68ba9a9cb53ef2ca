// The stage: the problem cut into blocks, the picked thread's block as warps and lanes, and the arithmetic
// between them.
#include <algorithm>

#include "app/draw/controls.hpp"
#include "app/draw/flights.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/plot.hpp"
#include "app/draw/warp_grid.hpp"
#include "app/labs/turns.hpp"
#include "arithmetic.hpp"
#include "planes.hpp"
#include "scene.hpp"
#include "triton_stage.hpp"

namespace lockstep {
namespace {

// --- the block as warps

WarpGrid warp_grid(const ThreadsScene& scene, const Pick& pick) {
  const IndexMap& m = scene.map;
  WarpGrid g;
  g.id = "stage/warps";
  const LaneUse use = m.of_block(pick.thread.block);
  g.title = tr("Block {0}: {1} threads", {scene.place_text(pick.thread.block), number_text(m.block.count())});
  g.lanes.assign(std::size_t(m.warps_per_block() * kLanes), LaneState::absent);
  std::int64_t working = 0;
  for (std::int64_t t = 0; t < m.block.count(); ++t) {
    const bool works = m.problem.holds(m.first_of({pick.thread.block, m.block.at(t)}));
    g.lanes[std::size_t(t)] = works ? LaneState::working : LaneState::masked;
    working += works;
  }
  g.subtitle = tr("{0} work, {1} masked, {2} lanes without a thread",
                  {number_text(working), number_text(m.block.count() - working), number_text(use.absent)});
  g.followed_warp = int(m.warp_of(pick.thread));
  g.picked = int(m.linear_thread(pick.thread));
  return g;
}

// --- what blocks cost

float times_height(const Theme& theme, std::size_t count) { return (28 + 24 * float(count)) * theme.type; }

void draw_times(Canvas& canvas, const Theme& theme, Rect r, const ThreadsScene& scene) {
  const float type = theme.type;
  const std::string words(provenance_of(scene.run(), "metrics.curve"));
  const float badge = badge_width(canvas, theme, words);
  draw_badge(canvas, theme, {r.right(), r.y + 8 * type}, words);
  canvas.text_fit({r.x, r.y + 8 * type},
                  scene.map.grid_stride ? tr("Time by number of blocks") : tr("Time by block size"),
                  {Font::words_semibold, 12.5f * type, theme.ink}, r.w - badge - 10 * type);
  double most = 0;
  for (const ShapeTime& t : scene.times) most = std::max(most, t.ms);
  std::vector<Bar> bars;
  for (const ShapeTime& t : scene.times)
    bars.push_back(
        {t.shape, time_text(t.ms), t.ms / most, t.here ? theme.ink : mix(theme.panel, theme.dim, 0.6f)});
  draw_bars(canvas, theme, "stage/times", {r.x, r.y + 22 * type, r.w, r.h - 22 * type}, bars);
}

// --- the stage

// Where things stand: the problem over how a thread finds its element, beside it the block over how it finds
// its lane. In half a stage the problem alone.
struct StageRects {
  Rect problem, warps, element_lines, lane_lines, triton;
};
StageRects stage_rects(const Canvas& canvas, const Theme& theme, Rect stage, const ThreadsScene& scene,
                       const Pick& pick, bool presentation) {
  const float type = theme.type, pad = 28, gap = 28 * type;
  const Rect area{stage.x + pad, stage.y + 20, stage.w - 2 * pad, stage.h - 34};
  StageRects at;
  constexpr float kProblemFrom = 130;  // px: below that the problem takes all the height
  const float top = area.y;
  const bool wide = area.w > 640 * type;
  const bool beside = !presentation && triton_height(canvas, theme, scene, area.w) > 0;
  const float right_w = wide ? std::clamp(area.w * (beside ? 0.56f : 0.42f), 290 * type, 560 * type) : 0;
  const float left_w = wide ? area.w - right_w - gap : area.w;
  float left_h = presentation ? 0 : lines_height(canvas, theme, scene.element_lines(pick), left_w);
  if (area.bottom() - left_h - top < kProblemFrom * type) left_h = 0;
  at.element_lines = {area.x, area.bottom() - left_h, left_w, left_h};
  at.problem = {area.x, top, left_w, at.element_lines.y - top - 10 * type};
  if (!wide) {  // Triton's program in place of the arithmetic, where it leaves room
    if (!beside) return at;
    constexpr float kLeastProblem = 100;
    const float most = area.h - (kLeastProblem + 10) * type,
                whole = triton_height(canvas, theme, scene, area.w);
    const float triton_h = whole <= most ? whole : triton_text_height(theme, scene);
    if (triton_h > most) return at;
    at.element_lines.h = 0, at.problem.h = area.h - triton_h - 10 * type;
    at.triton = {area.x, area.bottom() - triton_h, area.w, triton_h};
    return at;
  }
  const float x = area.right() - right_w, between = 18 * type;
  const float whole_warps = warp_grid_height(theme, int(scene.map.warps_per_block()));
  if (beside) {  // the warps in what Triton's program leaves, or not at all
    constexpr float kLeastWarps = 110;
    const float triton_h = triton_height(canvas, theme, scene, right_w), left = area.h - triton_h - between;
    const float warps_h = left >= kLeastWarps * type ? std::min(whole_warps, left) : 0;
    if (warps_h > 0) at.warps = {x, top, right_w, warps_h};
    at.triton = {x, top + (warps_h > 0 ? warps_h + between : 0), right_w, std::min(triton_h, area.h)};
    return at;
  }
  const float right_h = presentation ? 0 : lines_height(canvas, theme, scene.lane_lines(pick), right_w);
  const float warps_h = std::min(whole_warps, area.bottom() - right_h - between - top);
  at.warps = {x, top, right_w, warps_h};
  at.lane_lines = {x, top + warps_h + between, right_w, right_h};
  return at;
}

void show_pick(Canvas& canvas, const ThreadsScene& scene, const Pick& pick, bool clicked,
               StageEvents& events) {
  const IndexMap& m = scene.map;
  const std::int64_t block = m.grid.linear(pick.thread.block);
  std::string text = tr("block {0}, thread {1}: warp {2}, lane {3}",
                        {scene.place_text(pick.thread.block), scene.place_text(pick.thread.thread),
                         number_text(m.warp_of(pick.thread)), number_text(m.lane_of(pick.thread))});
  text += "\n" + (pick.element ? scene.element_name(*pick.element) : tr("masked: it has no element"));
  canvas.tooltip(text);
  if (!clicked) return;
  if (block != scene.followed_block())
    events.follow_block = block;
  else
    events.follow_warp = m.warp_of(pick.thread);
  if (pick.element) events.pin = {scene.out_view(), std::uint64_t(m.problem.linear(*pick.element))};
}

// A load's words fly from the elements to the lanes, a store's from the lanes to the elements.
void draw_words(Canvas& canvas, const StageInput& in, const ThreadsScene& scene, const ProblemHit& problem,
                Rect warps, const WarpGrid& grid) {
  const Step* step = scene.steps.at(in.view.step);
  if (!step) return;
  const WarpInstruction& i = step->instruction;
  const Turns turns = turns_of(*step);
  Flights flights;
  flights.turns = turns.count, flights.color = color::registers, flights.top = warps.y,
  flights.paths_stay = false;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const int held = int(i.warp) * kWarpSize + lane;
    if (!(i.lanes >> lane & 1) || held >= int(grid.lanes.size())) continue;
    const auto of_lane = scene.element_of_lane(i, lane);
    const auto element = of_lane ? problem.of_step.find(*of_lane) : problem.of_step.end();
    if (element == problem.of_step.end()) continue;
    const Vec2 there = warp_lane_rect(canvas, in.theme, warps, grid, held).center();
    const int turn = turns.of_lane[std::size_t(lane)];
    flights.all.push_back(reads(i.kind) ? Flight{element->second, there, turn}
                                        : Flight{there, element->second, turn});
  }
  draw_flights(canvas, flights, in.motion);
}

}  // namespace

void ThreadsScene::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  if (dimensions == 0) return;
  const Pick picked = pick(in.view);
  const StageRects at = stage_rects(canvas, in.theme, in.area, *this, picked, in.presentation);
  std::optional<Pick> hovered;
  bool clicked = false;
  const ProblemHit problem = draw_problem(canvas, in, at.problem, *this, picked);
  if (problem.element && map.thread_of(*problem.element))
    hovered = pick_of_element(*problem.element), clicked = problem.clicked;
  if (at.warps.w > 0) {
    const WarpGrid grid = warp_grid(*this, picked);
    const WarpGridHit lane = draw_warp_grid(canvas, in.theme, at.warps, grid);
    if (map.grid.linear(picked.thread.block) == followed_block())
      draw_words(canvas, in, *this, problem, at.warps, grid);
    if (lane.lane && *lane.lane < map.block.count())
      hovered = pick_of_thread({picked.thread.block, map.block.at(*lane.lane)}), clicked = lane.clicked;
  }
  const Pick shown = hovered.value_or(picked);  // under the pointer its arithmetic is read at once
  if (at.element_lines.h > 0)
    draw_lines(canvas, in.theme, at.element_lines, tr("From the thread to its element"),
               element_lines(shown));
  if (at.lane_lines.h > 0 && at.lane_lines.bottom() <= in.area.bottom())
    draw_lines(canvas, in.theme, at.lane_lines, tr("From the thread to its warp and lane"),
               lane_lines(shown));
  if (at.triton.h > 0) draw_triton(canvas, in.theme, at.triton, *this, in.view, shown);
  const float below = at.lane_lines.bottom() + 14 * in.theme.type;
  if (const float h = times_height(in.theme, times.size());
      !times.empty() && at.triton.h <= 0 && at.lane_lines.h > 0 && below + h < at.element_lines.bottom())
    draw_times(canvas, in.theme, {at.lane_lines.x, below, at.lane_lines.w, h}, *this);
  if (hovered) show_pick(canvas, *this, *hovered, clicked, events);
}

}  // namespace lockstep
