// What is folded of a transpose's run: its accesses, and what they have moved up to each of them.
#pragma once
#include "app/labs/lab.hpp"
#include "app/model/progress.hpp"

namespace lockstep {

struct TransposeScene final : LabScene {
  explicit TransposeScene(std::shared_ptr<const Run> run);

  const MemoryAxis steps;
  const BlockProgress progress;
  // What the blocks that start after this one work on: of the input, of the output.
  const std::vector<Region> next_in, next_out;
  const std::vector<Region>& next_parts(const ViewInfo& view) const {
    return view.id == 0 ? next_in : next_out;
  }

  const Axis& axis() const override { return steps; }
  int opening_step(std::int64_t warp) const override;
  Message step_title(const LabView& view) const override;
  Message sentence(const LabView& view) const override;
  Color phase_color(const Phase& phase) const override;
  Message phase_name(const Phase& phase) const override;
  void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const override;
  void card(Canvas& canvas, const StageInput& in) const override;
  std::vector<NumberRow> numbers() const override;
  std::vector<HeadFigure> headline(const LabView& view) const override;
};

}  // namespace lockstep
