#include "rate_curves.hpp"

#include <algorithm>

#include "app/draw/plot.hpp"
#include "app/model/curves_evidence.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {
namespace {

using Curve = std::map<std::int64_t, double>;

const Curve* rates(const Run& run, const std::string& rung) {
  const Curve* curve = curve_over_n(run, rung, "gb_per_s");
  return curve && curve->size() > 1 ? curve : nullptr;
}

}  // namespace

const Curve* curve_over_n(const Run& run, const std::string& rung, const char* quantity) {
  const auto* recorded = run.evidence.find<CurvesEvidence>();
  return recorded ? recorded->find({rung, "n", quantity}) : nullptr;
}

bool has_rate_curves(const Run& run) {
  const Ladder* ladder = find_ladder(run.request.lab);
  return ladder && std::any_of(ladder->info.rungs.begin(), ladder->info.rungs.end(),
                               [&](const RungInfo& rung) { return rates(run, rung.slug); });
}

void draw_rate_curves(Canvas& canvas, const Theme& theme, Rect r, const Run& run) {
  const Ladder* ladder = find_ladder(run.request.lab);
  if (!ladder) return;
  Plot plot;
  plot.id = "panel/rates";
  double most = 0;
  const auto add = [&](const std::string& rung, Color color) {
    const Curve* curve = rates(run, rung);
    if (!curve) return;
    PlotSeries series{"", {}, color, PlotMark::line};
    for (const auto& [n, rate] : *curve)
      series.points.push_back({double(n), rate, ""}), most = std::max(most, rate);
    plot.x.min = double(curve->begin()->first), plot.x.max = double(curve->rbegin()->first);
    plot.series.push_back(std::move(series));
  };
  for (const RungInfo& rung : ladder->info.rungs)
    if (rung.slug != run.request.rung) add(rung.slug, theme.line);
  add(run.request.rung, color::hbm);
  if (plot.series.empty()) return;
  plot.x.label = tr("elements"), plot.x.logarithmic = true;
  plot.y = {tr("GB/s"), 0, most * 1.1, false};
  draw_plot(canvas, theme, r, plot);
}

}  // namespace lockstep
