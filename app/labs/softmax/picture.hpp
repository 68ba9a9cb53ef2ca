// What the softmax lab draws, as plain data from (scene, view): one row with what the kernel showed of it.
#pragma once
#include "app/draw/legend.hpp"
#include "app/draw/row_bars.hpp"
#include "scene.hpp"

namespace lockstep {

// e^(x - m), 0 where both are -infinity; beyond the largest fp32 it is infinite, as in the kernel.
double softmax_weight(double x, double m);
inline double value_or(const std::optional<double>& value, double otherwise) {
  return value ? *value : otherwise;
}

// How often the maximum moved after its first tile, up to this step.
int times_moved(const SoftmaxStep& scene);

RowBarsPicture scores_picture(const SoftmaxStep& scene, const Theme& theme);
// What the scores are worth: e^x or e^(x - m) with the m of this step, then p where it is written.
// motion 0 .. 1: how far this step's own have grown.
RowBarsPicture weights_picture(const SoftmaxStep& scene, const Theme& theme, float motion = 1);
// The factors by which sums with another maximum were rescaled; no shares where the rung has none.
RowSharesPicture factors_picture(const SoftmaxStep& scene);
// This step's formula, and the same with its own numbers.
struct FormulaLine {
  std::string text;
  bool numbers = true;
};
std::vector<FormulaLine> formula_lines(const SoftmaxStep& scene);
std::vector<LegendItem> softmax_legend(const SoftmaxStep& scene, const Theme& theme);
// Rows around the followed one, at most `most`, as they are in the end.
RowListPicture rows_picture(const SoftmaxStep& scene, int most);
// How often the block has read its rows so far: sectors asked for over those of its rows once.
double passes_over_x(const SoftmaxStep& scene);
// Reads of x by each rung: as its source states them, and counted for this one.
std::vector<PassCount> read_counts(const SoftmaxStep& scene);

}  // namespace lockstep
