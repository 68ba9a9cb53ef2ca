// What was measured of full blocks: cycles over the share of the elements that go one way, and over the
// cases.
#include <algorithm>
#include <cmath>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/plot.hpp"
#include "app/model/curves_evidence.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

using Curve = std::map<std::int64_t, double>;

const Curve* curve_of(const Run& run, const char* over) {
  const auto* recorded = run.evidence.find<CurvesEvidence>();
  return recorded ? recorded->find({run.request.rung, over, "cycles"}) : nullptr;
}

void add_series(Plot& plot, const Curve* curve, std::string name, Color color, PlotMark mark) {
  if (!curve || curve->size() < 2) return;
  PlotSeries series{std::move(name), {}, color, mark};
  for (const auto& [x, cycles] : *curve) {
    series.points.push_back({double(x), cycles, ""});
    plot.y.max = std::max(plot.y.max, cycles * 1.12);
  }
  plot.x.min = double(curve->begin()->first), plot.x.max = double(curve->rbegin()->first);
  plot.series.push_back(std::move(series));
}

void draw_curves(Canvas& canvas, const Theme& theme, Rect r, const Run& run) {
  Plot plot;
  plot.id = "panel/cycles", plot.y = {tr("cycles"), 0, 1, false};
  const Params& params = run.request.params;
  if (params.contains("ways")) {
    plot.x.label = tr("cases");
    add_series(plot, curve_of(run, "ways"), "", color::registers, PlotMark::line);
    plot.cursor = double(std::get<std::int64_t>(params.at("ways")));
  } else {
    plot.x.label = tr("% below the limit");
    add_series(plot, curve_of(run, "share sorted"), tr("sorted"), color::l2, PlotMark::line);
    add_series(plot, curve_of(run, "share random"), tr("random"), color::registers, PlotMark::line);
    plot.cursor = double(std::get<std::int64_t>(params.at("share")));
  }
  if (!plot.series.empty()) draw_plot(canvas, theme, r, plot);
}

}  // namespace

std::vector<LabPanel> DivergenceScene::panels(Rect, const Theme&) const {
  const bool ways = curve_of(run(), "ways") != nullptr;
  if (!ways && !curve_of(run(), "share random")) return {};
  return {{ways ? msg("CYCLES OF A FULL BLOCK BY CASES") : msg("CYCLES OF A FULL BLOCK BY SHARE"),
           std::string(provenance_of(run(), "metrics.curve")), 190,
           [this](Canvas& canvas, const Theme& theme, Rect r) { draw_curves(canvas, theme, r, run()); },
           "cycles"}};
}

}  // namespace lockstep
