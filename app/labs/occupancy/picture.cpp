// The stage: the SM, its limits, what was recorded of such settings, and occupancy against each need.
#include <algorithm>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "scene.hpp"

namespace lockstep {

// With the place of this run: the warps that were resident, else those that the model gives.
Plot OccupancyScene::throughput_plot(const Theme& theme, bool of_products) const {
  const Color base = of_products ? color::tensor : color::hbm;
  Plot plot;
  plot.id = of_products ? "panel/flops" : "panel/bytes";
  plot.x = {tr("resident warps per SM"), 0, 64, false};
  double most = 0;
  for (const RateCurve& curve : curves) {
    if (curve.product != of_products) continue;
    plot.series.push_back({curve.rung, curve.points,
                           curve.rung == run().request.rung ? base : mix(theme.panel, base, 0.55f),
                           PlotMark::line});
    for (const PlotPoint& p : curve.points) most = std::max(most, p.y);
  }
  plot.y = {of_products ? tr("TFLOP/s") : tr("GB/s"), 0, most * 1.12, false};
  const auto warps = whole_metric(run(), "driver.warps_per_sm");
  const auto rate = real_metric(run(), of_products ? "measured.teraflops" : "measured.gigabytes_per_s");
  if (warps)
    plot.cursor = double(*warps);
  else if (sm)
    plot.cursor = sm->resident.warps;
  if (product == of_products && rate && warps)
    plot.series.push_back({"", {{double(*warps), *rate, ""}}, base, PlotMark::dots});
  return plot;
}

namespace {

// What this rung and the one beside it reached, and whose word that is.
void draw_throughput(Canvas& canvas, const Theme& theme, Rect r, const OccupancyScene& scene) {
  const float type = theme.type;
  const std::string provenance(provenance_of(scene.run(), "metrics.curve"));
  const float badge = badge_width(canvas, theme, provenance);
  const TextStyle strong{Font::words_semibold, 13.5f * type, theme.ink};
  std::string title = tr("Throughput against resident warps");
  if (canvas.measure(title, strong) > r.w - badge - 10) title = tr("Throughput against warps");
  canvas.text_fit({r.x, r.y + 10 * type}, title, strong, r.w - badge - 10);
  draw_badge(canvas, theme, {r.right(), r.y + 10 * type}, provenance);
  Plot plot = scene.throughput_plot(theme, scene.product);
  plot.id = "stage/throughput";
  draw_plot(canvas, theme, {r.x - 6, r.y + 22 * type, r.w + 12, r.h - 22 * type}, plot);
}

constexpr BlockNeed kNeeds[] = {BlockNeed::threads, BlockNeed::registers, BlockNeed::shared};

// One beside the other, below words that have the same room above each.
void draw_step_charts(Canvas& canvas, const Theme& theme, Rect r, const FilledSm& sm) {
  const float type = theme.type, gap = 20, w = (r.w - 2 * gap) / 3, line = 15 * type;
  const TextStyle style{Font::words, 11.5f * type, theme.dim};
  int lines = 1;
  for (const BlockNeed need : kNeeds)
    lines = std::max(lines, canvas.count_lines(next_text(sm, need), style, w - 8));
  const float text = float(lines) * line + 4 * type;
  float x = r.x;
  for (const BlockNeed need : kNeeds) {
    canvas.text_wrap({x, r.y}, next_text(sm, need), style, w - 8, line);
    draw_plot(canvas, theme, {x, r.y + text, w, r.h - text}, occupancy_plot(sm, need));
    x += w + gap;
  }
}

constexpr float kLeastLowSm = 150, kLeastLimits = 134;  // px at type size 1: two columns; without reasons

// What the stage has room for.
struct StagePlan {
  Rect area;
  bool wide = false, charts = false, curves = false;
  float charts_h = 0, top_h = 0, limits_h = 0;
};
StagePlan plan_of(const Theme& theme, Rect stage, const OccupancyScene& scene) {
  const float type = theme.type, pad = 28;
  StagePlan p;
  p.area = {stage.x + pad, stage.y + 16, stage.w - 2 * pad, stage.h - 26};
  p.wide = p.area.w >= 560 * type;
  const float least = std::max(sm_height(theme), limits_height(theme));
  p.charts_h = std::min({620 * type, p.area.h * 0.34f, p.area.h - least - 20 * type});
  p.charts = p.wide && p.charts_h >= 120 * type;
  p.top_h = p.charts ? p.area.h - p.charts_h - 20 * type : p.area.h;
  p.limits_h = std::min(p.top_h, limits_height(theme) + 10 * type);
  p.curves = p.wide && p.top_h - p.limits_h >= 140 * type && scene.has_curve(scene.product);
  return p;
}

// Half a stage: the SM in two columns, below it what warps bring and what each resource allows, as far as
// they fit.
void draw_narrow(Canvas& canvas, const Theme& theme, Rect area, const FilledSm& sm,
                 const OccupancyScene& scene) {
  const float type = theme.type, gap = 16;
  const int columns = area.w >= 400 * type ? 2 : 1;
  const float least = columns == 2 ? kLeastLowSm * type : sm_height(theme);
  const bool curve = columns == 2 && scene.has_curve(scene.product);
  float low = std::min(area.h - least - gap, columns == 2 ? area.h * 0.56f : limits_height(theme));
  const bool fits = low >= (columns == 2 ? kLeastLimits * type : limits_height(theme));
  if (!fits) low = 0;
  draw_sm(canvas, theme, {area.x, area.y, area.w, area.h - (fits ? low + gap : 0)}, sm, columns);
  if (!fits) return;
  const Rect below{area.x, area.bottom() - low, area.w, low};
  const float limits_w = curve ? area.w * 0.38f : area.w;
  draw_limits(canvas, theme, {below.x, below.y, limits_w, low}, sm);
  if (curve)
    draw_throughput(canvas, theme, {below.x + limits_w + 24, below.y, below.w - limits_w - 24, low}, scene);
}

// For a room of people: the SM, and beside it what warps bring.
void draw_for_a_room(Canvas& canvas, const Theme& theme, Rect area, const FilledSm& sm,
                     const OccupancyScene& scene) {
  const float type = theme.type, gap = 34 * type;
  const bool curve = area.w >= 640 * type && scene.has_curve(scene.product);
  const float sm_w = curve ? (area.w - gap) * 0.64f : area.w;
  draw_sm(canvas, theme, {area.x, area.y, sm_w, area.h}, sm, sm_w > 430 * type ? 2 : 1);
  if (curve)
    draw_throughput(canvas, theme, {area.x + sm_w + gap, area.y, area.w - sm_w - gap, area.h}, scene);
}

}  // namespace

void OccupancyScene::stage(Canvas& canvas, const StageInput& in, StageEvents&) const {
  const auto filled = sm_at(in.view.step);
  if (!filled) return;
  constexpr float kGap = 36, kPad = 28;
  if (in.presentation)
    return draw_for_a_room(canvas, in.theme,
                           {in.area.x + kPad, in.area.y + 8, in.area.w - 2 * kPad, in.area.h - 12}, *filled,
                           *this);
  const auto [area, wide, charts, curves, charts_h, top_h, limits_h] = plan_of(in.theme, in.area, *this);
  if (!wide) return draw_narrow(canvas, in.theme, area, *filled, *this);
  const float left_w = (area.w - kGap) * 0.54f;
  draw_sm(canvas, in.theme, {area.x, area.y, left_w, top_h}, *filled);
  const Rect right{area.x + left_w + kGap, area.y, area.w - left_w - kGap, top_h};
  const float rest = top_h - limits_h;
  draw_limits(canvas, in.theme, {right.x, right.y, right.w, curves ? limits_h : top_h}, *filled);
  if (curves) draw_throughput(canvas, in.theme, {right.x, right.y + limits_h + 6, right.w, rest - 6}, *this);
  if (!charts) return;
  draw_step_charts(canvas, in.theme, {area.x, area.bottom() - charts_h, area.w, charts_h}, *filled);
}

std::vector<LabPanel> OccupancyScene::panels(Rect stage, const Theme& theme) const {
  std::vector<LabPanel> all;
  const bool on_stage = plan_of(theme, stage, *this).curves;
  const std::string provenance(provenance_of(run(), "metrics.curve"));
  const auto add = [&](Message title, bool of_products) {
    if (!has_curve(of_products) || (on_stage && of_products == product)) return;
    all.push_back({std::move(title), provenance, 190,
                   [plot = throughput_plot(theme, of_products)](Canvas& canvas, const Theme& colors, Rect r) {
                     draw_plot(canvas, colors, {r.x - 6, r.y, r.w + 10, r.h}, plot);
                   },
                   of_products ? "products" : "copies"});
  };
  add(msg("COPIES AGAINST RESIDENT WARPS"), false);
  add(msg("PRODUCTS AGAINST RESIDENT WARPS"), true);
  return all;
}

}  // namespace lockstep
