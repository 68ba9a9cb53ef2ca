// What was recorded of the whole over the chunks' size.
#include <algorithm>

#include "app/draw/language.hpp"
#include "app/draw/plot.hpp"
#include "app/model/curves_evidence.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

void add_series(Plot& plot, const CurvesEvidence& recorded, const char* rung, std::string name, Color color) {
  const auto* curve = recorded.find({rung, "chunk", "us"});
  if (!curve || curve->size() < 2) return;
  PlotSeries series{std::move(name), {}, color, PlotMark::line};
  for (const auto& [kb, us] : *curve) {
    series.points.push_back({double(kb) * 1024, us / 1e3, ""});
    plot.y.max = std::max(plot.y.max, us / 1e3 * 1.12);
  }
  plot.x.min = double(curve->begin()->first) * 1024, plot.x.max = double(curve->rbegin()->first) * 1024;
  plot.series.push_back(std::move(series));
}

Plot chunk_plot(const Run& run, const CurvesEvidence& recorded) {
  Plot plot;
  plot.id = "panel/chunks", plot.x = {tr("bytes of a chunk"), 1, 2, true},
  plot.y = {tr("ms in all"), 0, 1e-3};
  add_series(plot, recorded, "chunks", tr("one stream"), color::registers);
  add_series(plot, recorded, "streams", tr("several streams"), color::shared);
  if (const auto chunk = run.request.params.find("chunk"); chunk != run.request.params.end())
    plot.cursor = double(std::get<std::int64_t>(chunk->second)) * 1024;
  return plot;
}

}  // namespace

std::vector<LabPanel> TransferScene::panels(Rect, const Theme&) const {
  const auto* recorded = run().evidence.find<CurvesEvidence>();
  if (!recorded || chunk_plot(run(), *recorded).series.empty()) return {};
  return {{msg("TIME BY THE SIZE OF A CHUNK"), std::string(provenance_of(run(), "metrics.curve")), 190,
           [this, recorded](Canvas& canvas, const Theme& theme, Rect r) {
             draw_plot(canvas, theme, r, chunk_plot(run(), *recorded));
           },
           "chunks"}};
}

}  // namespace lockstep
