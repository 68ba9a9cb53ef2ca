// What a copy costs by its size, and what was recorded of the whole over the chunks' size.
#include <algorithm>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/plot.hpp"
#include "app/model/curves_evidence.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

constexpr float kLine = 15;

TextStyle line_style(const Theme& theme) { return {Font::words, 11.5f * theme.type, theme.dim}; }

constexpr double kLeastBytes = 4, kMostBytes = double(std::int64_t{1} << 30);

double gb_per_s(double bytes, double us) { return us > 0 ? bytes / us / 1e3 : 0; }

void add_curve(Plot& plot, const CopyCurve& curve, const std::string& name, Color color) {
  PlotSeries line{name, {}, color, curve.fit ? PlotMark::dashed : PlotMark::line},
      dots{"", {}, color, PlotMark::dots};
  for (double bytes = kLeastBytes; bytes <= kMostBytes; bytes *= 2)
    line.points.push_back({bytes, gb_per_s(bytes, curve.cost().us(bytes)), ""});
  for (const CopyTime& copy : curve.timed)
    dots.points.push_back({copy.bytes, gb_per_s(copy.bytes, copy.us), ""});
  for (PlotSeries* series : {&line, &dots})
    for (const PlotPoint& p : series->points) {
      plot.y.min = std::min(plot.y.min, p.y * 0.7), plot.y.max = std::max(plot.y.max, p.y * 1.6);
    }
  plot.series.push_back(std::move(line));
  if (!dots.points.empty()) plot.series.push_back(std::move(dots));
}

// What one copy of this run brings; nothing where there is none.
std::optional<double> copied_bytes(const Transferred& done) {
  for (const Operation& o : done.operations)
    if (o.kind == OperationKind::copy_in) return double(o.bytes);
  return {};
}

Plot cost_plot(const Transferred& done) {
  Plot plot;
  plot.id = "stage/cost";
  plot.x = {tr("bytes of a copy"), kLeastBytes, kMostBytes, true};
  plot.y = {tr("GB/s"), 1e9, 1e-9, true};
  add_curve(plot, done.in, tr("in"), operation_color(OperationKind::copy_in));
  add_curve(plot, done.out, tr("out"), operation_color(OperationKind::copy_out));
  plot.cursor = copied_bytes(done);
  return plot;
}

// A number with its unit, which no line's end may take apart.
std::string kept(std::string text) {
  for (std::size_t at = 0; (at = text.find(' ', at)) != text.npos;) text.replace(at, 1, "\u00a0");
  return text;
}

std::string cost_words(const CopyCurve& curve, const std::string& way) {
  const std::string alpha = us_text(curve.cost().alpha_us), beta = rate_text(curve.cost().gb_per_s * 1e9),
                    formula = kept(alpha + " + n / " + beta);
  if (!curve.fit) return tr("{0}: {1}", {way, formula});
  return tr("{0}: {1}, off by {2} on average, at most {3}, at {4}",
            {way, formula, kept(percent_text(curve.fit->mean_error)),
             kept(percent_text(curve.fit->worst_error)), kept(bytes_text(curve.fit->worst_bytes))});
}

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

void draw_cost(Canvas& canvas, const Theme& theme, Rect r, const Transferred& done) {
  float y = r.y;
  for (const std::string& line : {cost_words(done.in, tr("in")), cost_words(done.out, tr("out"))})
    y += canvas.text_wrap({r.x, y}, line, line_style(theme), r.w, kLine * theme.type);
  draw_plot(canvas, theme, {r.x - 6, y + 6 * theme.type, r.w + 12, r.bottom() - y - 6 * theme.type},
            cost_plot(done));
}

std::vector<LabPanel> TransferScene::panels(Rect stage, const Theme& theme) const {
  std::vector<LabPanel> all;
  if (done.operations.empty()) return all;
  if (plan(theme, stage, false).cost.h <= 0)
    all.push_back({msg("WHAT A COPY COSTS, BY ITS SIZE"), curves_provenance(), 230,
                   [this](Canvas& canvas, const Theme& its, Rect r) { draw_cost(canvas, its, r, done); },
                   "cost"});
  const auto* recorded = run().evidence.find<CurvesEvidence>();
  if (!recorded || chunk_plot(run(), *recorded).series.empty()) return all;
  all.push_back({msg("TIME BY THE SIZE OF A CHUNK"), std::string(provenance_of(run(), "metrics.curve")), 190,
                 [this, recorded](Canvas& canvas, const Theme& theme, Rect r) {
                   draw_plot(canvas, theme, r, chunk_plot(run(), *recorded));
                 },
                 "chunks"});
  return all;
}

}  // namespace lockstep
