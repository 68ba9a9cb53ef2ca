// The stage: the sectors that this access touches, below them what a load of the other rungs costs, and the
// curves beside both.
#include <algorithm>
#include <cmath>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "app/labs/traffic_river.hpp"
#include "app/labs/turns.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

constexpr const char* kCurveTitle = N_("sectors per load");

// Lane of the step's access that has the pinned element.
std::optional<int> picked_lane(const CoalescingScene& scene, const LabView& view, const WarpInstruction& i) {
  const ViewInfo* info = scene.run().launches.at(0).view(i.view);
  if (!view.pinned || view.pinned->first != i.view || !info) return {};
  const std::uint64_t byte = view.pinned->second * info->element_bytes;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t first = i.offset[std::size_t(lane)];
    if ((i.lanes >> lane & 1) && byte >= first && byte < first + i.width) return lane;
  }
  return {};
}

SectorPicture sector_picture(const CoalescingScene& scene, const LabView& view, const Step& step,
                             float motion) {
  const WarpInstruction& i = step.instruction;
  const SectorUse use = sector_use(access_of(i));
  SectorPicture p;
  p.id = "stage/sectors";
  p.access = access_of(i);
  p.picked = picked_lane(scene, view, i);
  const Turns turns = turns_of(step);
  p.loads = reads(i.kind), p.turn = turns.of_lane, p.turns = turns.count, p.motion = motion;
  p.title = tr("Lanes of warp {0} → sectors of 32 bytes → lines of 128 bytes", {number_text(i.warp)});
  p.subtitle = tr("{0}, line {1}, {2} bytes per lane: {3} bytes used of {4}; lines: {5}",
                  {view_name(scene.run(), step), number_text(i.line), number_text(i.width),
                   grouped(use.used_bytes), grouped(use.fetched_bytes()), number_text(use.lines)});
  return p;
}

// --- curves

Plot plot_of(const CostCurve& curve, const std::vector<PlotPoint>& points, bool rate) {
  Plot plot;
  plot.id = std::string("stage/") + (rate ? "rate/" : "sectors/") + curve.parameter.name;
  const double first = points.front().x, last = points.back().x;
  const bool logarithmic = last > 4 * 64;
  std::string label = tr(title_of(curve.parameter)) + ", " + tr(curve.parameter.unit);
  if (!curve.held.empty()) label += "  (" + curve.held + ")";
  plot.x = {label, first, std::max(last, first + 1), logarithmic};
  double most = 0;
  for (const PlotPoint& p : points) most = std::max(most, p.y);
  plot.y = {rate ? tr("GB/s") : tr(kCurveTitle), 0, most * 1.15, false};
  plot.series.push_back({"", points, color::hbm, PlotMark::line});
  if (curve.here && *curve.here >= plot.x.min && *curve.here <= plot.x.max) plot.cursor = curve.here;
  for (const PlotPoint& p : points)
    if (curve.here && p.x == *curve.here)
      plot.series.push_back({"",
                             {{p.x, p.y, rate ? grouped(std::llround(p.y)) : figure_text(p.y)}},
                             color::hbm,
                             PlotMark::dots});
  return plot;
}

void draw_curve(Canvas& canvas, const Theme& theme, Rect r, const CoalescingScene& scene,
                const CostCurve& curve, bool rate) {
  const std::vector<PlotPoint>& points = rate ? curve.gb_per_s : curve.sectors;
  const std::string words = rate || curve.sectors_are_recorded
                                ? std::string(provenance_of(scene.run(), "metrics.curve"))
                                : std::string("modelled, error 0 %");
  draw_badge(canvas, theme, {r.right(), r.y + 8 * theme.type}, words);
  Plot plot = plot_of(curve, points, rate);
  const float room = r.w - 60 * theme.type;  // below the axes; what is held stands in the settings too
  if (canvas.measure(plot.x.label, {Font::words, 11 * theme.type}) > room)
    plot.x.label = plot.x.label.substr(0, plot.x.label.find("  ("));
  const PlotHit hit = draw_plot(canvas, theme, r, plot);
  if (!hit.hovered) return;
  if (hit.hovered->first > 0 || std::size_t(hit.hovered->second) >= points.size()) return;
  const PlotPoint& p = points[std::size_t(hit.hovered->second)];
  canvas.tooltip(rate ? tr("{0} = {1}: {2} GB/s",
                           {tr(title_of(curve.parameter)), figure_text(p.x), grouped(std::llround(p.y))})
                      : tr("{0} = {1}: {2} sectors per load",
                           {tr(title_of(curve.parameter)), figure_text(p.x), figure_text(p.y)}));
}

struct CurveSlot {
  const CostCurve* curve = nullptr;
  bool rate = false;
};
// The curves that the run lies on, else all. A single point is a figure, not a curve.
std::vector<CurveSlot> curve_slots(const CoalescingScene& scene) {
  std::vector<CurveSlot> slots;
  const bool any = std::any_of(scene.curves.begin(), scene.curves.end(),
                               [](const CostCurve& c) { return c.here.has_value(); });
  for (const CostCurve& curve : scene.curves) {
    if (any && !curve.here) continue;
    if (curve.sectors.size() > 1) slots.push_back({&curve, false});
    if (curve.gb_per_s.size() > 1) slots.push_back({&curve, true});
  }
  return slots;
}

void draw_curves(Canvas& canvas, const Theme& theme, Rect r, const CoalescingScene& scene,
                 const std::vector<CurveSlot>& slots) {
  const float type = theme.type, gap = 16 * type, most = 210 * type;
  const bool recorded =
      std::any_of(slots.begin(), slots.end(), [](const CurveSlot& slot) { return slot.rate; });
  const std::string note =
      tr("GB/s: bytes that the threads ask for, 16,777,216 threads or more, the L2 overwritten before "
         "each launch");
  const TextStyle style{Font::words, 11 * type, theme.dim};
  const float note_h = recorded ? 8 * type + 15 * type * float(canvas.count_lines(note, style, r.w)) : 0;
  const float each = std::min(most, (r.h - note_h + gap) / float(slots.size()) - gap);
  if (recorded)
    canvas.text_wrap({r.x, r.y + float(slots.size()) * (each + gap) - gap + 8 * type}, note, style, r.w,
                     15 * type);
  for (std::size_t i = 0; i < slots.size(); ++i)
    draw_curve(canvas, theme, {r.x, r.y + float(i) * (each + gap), r.w, each}, scene, *slots[i].curve,
               slots[i].rate);
}

// As many as are high enough to be read: a curve's sectors with its rate, or the sectors alone.
std::vector<CurveSlot> fitting(std::vector<CurveSlot> slots, const Theme& theme, float height) {
  constexpr float kLeast = 150, kNote = 64;
  const auto room = std::size_t(std::max(0.f, height / theme.type - kNote) / kLeast);
  const std::size_t count = room >= slots.size() ? slots.size() : room > 1 ? room / 2 * 2 : room;
  slots.resize(std::min(slots.size(), count));
  return slots;
}

// What the sectors of an access fill at most, with their legend.
float sectors_height(const Theme& theme, const WarpInstruction& i) {
  const auto lines = float(touched_lines(access_of(i)).size());
  return (lines <= 2 ? 190 : 132) * theme.type + 28 * theme.type * lines;
}

bool has_room_for_rungs(const Theme& theme, Rect r, const CoalescingScene& scene) {
  return !scene.rungs.empty() && r.w >= 560 * theme.type && r.h >= rungs_height(theme, scene.rungs.size());
}

// All rungs with their costs.
void draw_rungs_below(Canvas& canvas, const Theme& theme, Rect r, const CoalescingScene& scene) {
  constexpr float kWidest = 1100;
  if (has_room_for_rungs(theme, r, scene))
    draw_rungs(canvas, theme, {r.x, r.y, std::min(r.w, kWidest * theme.type), r.h}, scene.rungs,
               std::string(provenance_of(scene.run(), "metrics.curve")));
}

River river_of(const CoalescingScene& scene, int step) {
  const Step* now = scene.steps.at(step);
  const Launch& launch = scene.run().launches.at(0);
  return traffic_river(scene.progress.traffic_until(step), now ? traffic_of(*now) : Traffic{}, {},
                       block_text(launch, launch.trace.block));
}

void show_lane(Canvas& canvas, const CoalescingScene& scene, const WarpInstruction& i, const SectorHit& hit,
               StageEvents& events) {
  const ViewInfo* view = scene.run().launches.at(0).view(i.view);
  if (!hit.lane || !(i.lanes >> *hit.lane & 1) || !view || view->element_bytes == 0) return;
  const std::int64_t first = i.offset[std::size_t(*hit.lane)];
  const std::int64_t element = first / view->element_bytes;
  canvas.tooltip(
      tr("lane {0}: {1}[{2}], bytes {3} to {4}", {number_text(*hit.lane), view->name, number_text(element),
                                                  grouped(first), grouped(first + i.width - 1)}) +
      "\n" + tr("click: keep its path in sight"));
  if (hit.clicked) events.pin = {i.view, std::uint64_t(element)};
}

}  // namespace

void CoalescingScene::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  const Step* step = steps.at(in.view.step);
  if (!step) return;
  const Theme& theme = in.theme;
  const float type = theme.type, pad = 28, gap = 28 * type;
  const Rect area{in.area.x + pad, in.area.y + 20, in.area.w - 2 * pad, in.area.h - 34};
  Rect rest = area;
  // Where there is no room for the rungs beside the curves, the river takes the lower end.
  const float used_at_most = sectors_height(theme, step->instruction), least_river = 120 * type;
  const River river = river_of(*this, in.view.step);
  const Rect below{area.x, area.y + used_at_most, area.w * 0.66f, area.h - used_at_most};
  if (!in.presentation && !has_room_for_rungs(theme, below, *this) && below.h >= least_river &&
      river_fits(canvas, theme, area.w, river)) {
    const float river_h = std::min(kRiverHeight * type, below.h - 12);
    draw_river(canvas, theme, {area.x, area.bottom() - river_h, area.w, river_h}, river, in.motion);
    rest.h -= river_h + 12;
  }
  const auto slots = in.presentation ? std::vector<CurveSlot>{} : fitting(curve_slots(*this), theme, rest.h);
  if (!slots.empty() && rest.w > 640 * type) {
    const float w = std::clamp(rest.w * 0.3f, 210 * type, 320 * type);
    draw_curves(canvas, theme, {rest.right() - w, rest.y, w, rest.h}, *this, slots);
    rest.w -= w + gap;
  }
  const float used = std::min(rest.h, used_at_most);
  if (!in.presentation)
    draw_rungs_below(canvas, theme, {rest.x, rest.y + used, rest.w, rest.h - used}, *this);
  show_lane(canvas, *this, step->instruction,
            draw_sector_map(canvas, theme, rest, sector_picture(*this, in.view, *step, in.motion)), events);
}

}  // namespace lockstep
