// What is folded of a run of the divergence lab: the places in the program that the block's warps come to, in
// the order in which they do, and for each warp the lanes that are active there.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/labs/lab.hpp"
#include "app/model/issue.hpp"
#include "app/model/list_axis.hpp"
#include "app/model/program_places.hpp"

namespace lockstep {

struct BlockIssue {
  std::vector<WarpIssue> warps;
  bool predicated = false;  // both sides are issued, each for its lanes, whether there are any or not
  std::vector<ProgramPlace> places;
  std::vector<std::uint16_t> sides;                        // lines of the arithmetic, ascending
  std::int64_t slots = 0, lane_slots = 0, most_slots = 0;  // most: of one warp
  // As many as the stage is wide: the same for all kernels whose lanes take one side or both of a round.
  std::int64_t slots_across = 0;
};
BlockIssue block_issue(const Run& run);

struct DivergenceScene final : LabScene {
  explicit DivergenceScene(std::shared_ptr<const Run> run);

  const BlockIssue block;
  const ListAxis steps;

  const Axis& axis() const override { return steps; }
  int opening_step(std::int64_t warp) const override;
  Message step_title(const LabView& view) const override;
  std::vector<HeadFigure> headline(const LabView& view) const override;
  Message sentence(const LabView& view) const override;
  std::optional<double> step_figure(std::string_view name, const LabView& view) const override;
  std::string step_figure_names() const override;
  Color phase_color(const Phase& phase) const override;
  Message phase_name(const Phase& phase) const override;
  void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const override;
  void card(Canvas& canvas, const StageInput& in) const override;
  std::vector<NumberRow> numbers() const override;
  std::vector<LabPanel> panels(Rect stage, const Theme& theme) const override;

  // The followed warp, and what it does at a step; nullptr where it does not come there.
  const WarpIssue* warp_of(const LabView& view) const;
  const IssueStep* step_of(const LabView& view) const;
  const ProgramPlace* place_of(int step) const;
  // Of the followed warp's lanes at a step: those that this or a later instruction still has.
  std::uint32_t lanes_left(const WarpIssue& warp, const IssueStep& step) const;
};

// Of what a line's instructions are drawn in: loads and stores, and one side of a branch after the other.
Color place_color(const BlockIssue& block, Kind kind, std::uint16_t line);

}  // namespace lockstep
