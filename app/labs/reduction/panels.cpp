// What the recordings say of all rungs: throughput over the array's size, and the error of their sums.
#include <algorithm>
#include <cmath>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/plot.hpp"
#include "app/labs/rate_curves.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

struct ErrorRow {
  std::string rung;
  double error = 0;
};

// At the largest size that was recorded.
std::vector<ErrorRow> errors_of(const Run& run, std::int64_t& n) {
  std::vector<ErrorRow> rows;
  for (const RungInfo& rung : find_ladder("reduction")->info.rungs)
    if (const auto* curve = curve_over_n(run, rung.slug, "error"); curve && !curve->empty())
      rows.push_back({rung.slug, curve->rbegin()->second}), n = curve->rbegin()->first;
  return rows;
}

void draw_errors(Canvas& canvas, const Theme& theme, Rect r, const Run& run) {
  std::int64_t n = 0;
  const auto rows = errors_of(run, n);
  double most = 0;
  for (const ErrorRow& row : rows) most = std::max(most, row.error);
  std::vector<Bar> bars;
  for (const ErrorRow& row : rows)
    bars.push_back({row.rung, figure_text(row.error), most > 0 ? row.error / most : 0,
                    row.rung == run.request.rung ? color::hbm : color::l2});
  draw_bars(canvas, theme, "panel/errors", r, bars);
}

}  // namespace

std::vector<LabPanel> ReductionScene::panels(Rect, const Theme&) const {
  std::vector<LabPanel> all;
  std::int64_t n = 0;
  const std::size_t rows = errors_of(run(), n).size();
  if (rows == 0) return all;
  const std::string provenance(provenance_of(run(), "metrics.curve"));
  all.push_back(
      {msg("THROUGHPUT BY SIZE, THIS RUNG AND THE OTHERS"), provenance, 190,
       [this](Canvas& canvas, const Theme& theme, Rect r) { draw_rate_curves(canvas, theme, r, run()); },
       "rates"});
  all.push_back({msg("ERROR OF THE SUM OF {0} ELEMENTS", {grouped(n)}), provenance, float(rows) * 24 + 6,
                 [this](Canvas& canvas, const Theme& theme, Rect r) { draw_errors(canvas, theme, r, run()); },
                 "errors"});
  return all;
}

}  // namespace lockstep
