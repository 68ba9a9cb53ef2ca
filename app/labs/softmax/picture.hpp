// What the softmax lab draws, as plain data from (run, axis, step): one row with what the kernel showed of
// it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/draw/legend.hpp"
#include "app/draw/row_bars.hpp"
#include "app/labs/lab.hpp"
#include "app/model/marks.hpp"

namespace lockstep {

// What a step of a softmax kernel does, by the name that the kernel gives it.
enum class SoftmaxPart : std::uint8_t { other, load, max, sum, tile, merge, divide };

// m, l of the row, and of the tile where the kernel shows them; nothing where none was shown by then.
struct SoftmaxValues {
  std::optional<double> m, l, m_tile, l_tile, factor;
};

// The followed row of a run at one step.
struct SoftmaxScene {
  const Run& run;
  const StepAxis& axis;
  int step = 0;
  const ViewInfo &x_view, &p_view;
  std::string rung;
  std::int64_t rows = 0, cols = 0, row = 0, warp = 0, rows_per_block = 1;
  std::int64_t tile = 0;  // scores per step of this row; cols where a step takes the row at once
  SoftmaxPart part = SoftmaxPart::other;
  std::int64_t index = 0;  // of the tile
  Span now{};              // columns of this step
  std::vector<double> x{},
      p{};  // of the row; empty where the run does not keep them. p: as the kernel left it
  SoftmaxValues after{}, before{};

  bool tiled() const { return rung == "naive" || rung == "safe" || rung == "online"; }
  bool scores_kept() const { return std::int64_t(x.size()) == cols; }
  // Columns whose result is written after this step.
  std::int64_t written() const;
  // vectorized: the columns that one warp loads at once, and the warp that a column belongs to.
  std::int64_t chunk() const;
  std::int64_t warp_of(std::int64_t col) const;
  std::optional<double> shown(const char* name, std::int64_t at, int step) const;
};
// `warp`: the followed one. Nothing for a run that is no softmax of a matrix.
std::optional<SoftmaxScene> softmax_scene(const Run& run, const StepAxis& axis, int step, std::int64_t warp);

// e^(x - m), 0 where both are -infinity; beyond the largest fp32 it is infinite, as in the kernel.
double softmax_weight(double x, double m);
inline double value_or(const std::optional<double>& value, double otherwise) {
  return value ? *value : otherwise;
}

SoftmaxPart softmax_part(std::uint16_t mark);
// "96–127"
std::string columns_text(Span cols);
// How often the maximum moved after its first tile, up to this step.
int times_moved(const SoftmaxScene& scene);

RowBarsPicture scores_picture(const SoftmaxScene& scene, const Theme& theme);
// What the scores are worth: e^x or e^(x - m) with the m of this step, then p where it is written.
RowBarsPicture weights_picture(const SoftmaxScene& scene, const Theme& theme);
// The factors by which sums with another maximum were rescaled; no shares where the rung has none.
RowSharesPicture factors_picture(const SoftmaxScene& scene);
// This step's formula, and the same with its own numbers.
struct FormulaLine {
  std::string text;
  bool numbers = true;
};
std::vector<FormulaLine> formula_lines(const SoftmaxScene& scene);
std::vector<LegendItem> softmax_legend(const SoftmaxScene& scene, const Theme& theme);
// Rows around the followed one, at most `most`, as they are in the end.
RowListPicture rows_picture(const SoftmaxScene& scene, int most);
// Reads of x by each rung: as its source states them, and counted for this one.
std::vector<PassCount> read_counts(const SoftmaxScene& scene);

}  // namespace lockstep
