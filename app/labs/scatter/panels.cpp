// What the recordings say: the rungs' times by the kind of graph, and over the edges per node.
#include <algorithm>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/plot.hpp"
#include "app/model/curves_evidence.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

using Curve = std::map<std::int64_t, double>;

const Curve* curve_of(const Run& run, const std::string& rung, const std::string& over) {
  const auto* recorded = run.evidence.find<CurvesEvidence>();
  return recorded ? recorded->find({rung, over, "ms"}) : nullptr;
}

constexpr const char* kKinds[] = {"ring", "star", "grid", "random", "power_law"};

std::vector<Bar> bars_of(const Run& run, const std::string& rung) {
  std::vector<Bar> bars;
  double most = 0;
  const LabInfo& info = find_ladder("scatter")->info;
  for (const char* kind : kKinds)
    if (const Curve* curve = curve_of(run, rung, std::string("graph ") + kind); curve && !curve->empty())
      most = std::max(most, curve->begin()->second);
  for (const char* kind : kKinds)
    if (const Curve* curve = curve_of(run, rung, std::string("graph ") + kind); curve && !curve->empty())
      bars.push_back({tr(title_of(info.parameters.front(), kind).c_str()), time_text(curve->begin()->second),
                      curve->begin()->second / most, color::l2});
  return bars;
}

bool has_degrees(const Run& run) {
  for (const RungInfo& rung : find_ladder("scatter")->info.rungs)
    if (const Curve* curve = curve_of(run, rung.slug, "degree power_law"); curve && curve->size() > 1)
      return true;
  return false;
}

void draw_degrees(Canvas& canvas, const Theme& theme, Rect r, const Run& run) {
  Plot plot;
  plot.id = "panel/degrees";
  double most = 0;
  const auto add = [&](const std::string& rung, Color color) {
    const Curve* curve = curve_of(run, rung, "degree power_law");
    if (!curve || curve->size() < 2) return;
    PlotSeries series{"", {}, color, PlotMark::line};
    for (const auto& [degree, ms] : *curve)
      series.points.push_back({double(degree), ms, ""}), most = std::max(most, ms);
    plot.x.min = double(curve->begin()->first), plot.x.max = double(curve->rbegin()->first);
    plot.series.push_back(std::move(series));
  };
  for (const RungInfo& rung : find_ladder("scatter")->info.rungs)
    if (rung.slug != run.request.rung) add(rung.slug, theme.line);
  add(run.request.rung, color::hbm);
  if (plot.series.empty()) return;
  plot.x.label = tr("edges per node"), plot.x.logarithmic = true;
  plot.y = {"ms", 0, most * 1.1, false};
  draw_plot(canvas, theme, r, plot);
}

}  // namespace

std::vector<LabPanel> ScatterScene::panels(Rect, const Theme&) const {
  std::vector<LabPanel> all;
  const std::string provenance(provenance_of(run(), "metrics.curve"));
  const std::size_t kinds = bars_of(run(), run().request.rung).size();
  if (kinds > 0)
    all.push_back({msg("TIME BY THE KIND OF GRAPH, THIS RUNG"), provenance, float(kinds) * 24 + 6,
                   [this](Canvas& canvas, const Theme& theme, Rect r) {
                     draw_bars(canvas, theme, "panel/kinds", r, bars_of(run(), run().request.rung));
                   },
                   "kinds"});
  if (has_degrees(run()))
    all.push_back(
        {msg("TIME OVER THE EDGES PER NODE, POWER LAW, THIS RUNG AND THE OTHERS"), provenance, 190,
         [this](Canvas& canvas, const Theme& theme, Rect r) { draw_degrees(canvas, theme, r, run()); },
         "degrees"});
  return all;
}

}  // namespace lockstep
