// What is folded of a softmax's run: its steps as the kernel names them, and how it goes about a row.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/labs/lab.hpp"
#include "app/model/marks.hpp"
#include "app/model/progress.hpp"

namespace lockstep {

// What a step of a softmax kernel does, by the name that the kernel gives it.
enum class SoftmaxPart : std::uint8_t { other, load, max, sum, tile, merge, divide };

SoftmaxPart softmax_part(std::uint16_t mark);

// How a kernel goes about a row, by the steps that it names.
struct SoftmaxWay {
  bool tiled = false;          // a warp takes a row tile by tile; else a block takes it at once
  bool maximum = false;        // the largest score is taken off before e^x
  bool maximum_first = false;  // in a pass of its own over the tiles
  bool one_pass = false;       // maximum and sum together, tile by tile
  bool merges_warps = false;   // each warp has a maximum and a sum of its own, merged in the end
  bool row_in_shared = false;  // the row is kept in shared memory; else in registers, or not at all
};

struct SoftmaxScene final : LabScene {
  explicit SoftmaxScene(std::shared_ptr<const Run> run);

  const MarkedAxis steps;
  const BlockProgress progress;
  const SoftmaxWay way;

  const Axis& axis() const override { return steps; }
  int opening_step(std::int64_t warp) const override;
  Message step_title(const LabView& view) const override;
  Message sentence(const LabView& view) const override;
  std::vector<HeadFigure> headline(const LabView& view) const override;
  Color phase_color(const Phase& phase) const override;
  Message phase_name(const Phase& phase) const override;
  void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const override;
  void card(Canvas& canvas, const StageInput& in) const override;
  std::vector<NumberRow> numbers() const override;
};

// m, l of the row, and of the tile where the kernel shows them; nothing where none was shown by then.
struct SoftmaxValues {
  std::optional<double> m, l, m_tile, l_tile, factor;
};

// The followed row of a run at one step.
struct SoftmaxStep {
  const SoftmaxScene& scene;
  int step = 0;
  const SoftmaxWay& way;
  const ViewInfo &x_view, &p_view;
  std::int64_t rows = 0, cols = 0, row = 0, warp = 0, rows_per_block = 1;
  std::int64_t tile = 0;  // scores per step of this row; cols where a step takes the row at once
  SoftmaxPart part = SoftmaxPart::other;
  std::int64_t index = 0;  // of the tile
  Span now{};              // columns of this step
  std::vector<double> x{},
      p{};  // of the row; empty where the run does not keep them. p: as the kernel left it
  SoftmaxValues after{}, before{};

  const Run& run() const { return scene.run(); }
  bool tiled() const { return way.tiled; }
  bool scores_kept() const { return std::int64_t(x.size()) == cols; }
  // Columns whose result is written after this step.
  std::int64_t written() const;
  // Of a row at once: the columns that one warp loads, and the warp that a column belongs to.
  std::int64_t chunk() const;
  std::int64_t warp_of(std::int64_t col) const;
  std::optional<double> shown(const char* name, std::int64_t at, int step) const;
};
// `warp`: the followed one. Nothing for a run that is no softmax of a matrix.
std::optional<SoftmaxStep> softmax_step(const SoftmaxScene& scene, int step, std::int64_t warp);

// "96–127"
std::string columns_text(Span cols);
// The view's elements of a row; empty where the run does not keep them.
std::vector<double> row_of(const Run& run, const ViewInfo& view, std::int64_t row);
// Of tile `index`; cols where the row has fewer.
std::int64_t first_column(const SoftmaxStep& s, std::int64_t index);

}  // namespace lockstep
