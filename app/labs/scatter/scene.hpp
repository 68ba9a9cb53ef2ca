// What is folded of messages on a graph: which edge each lane works on in each step, and where what it
// carries comes from and goes to.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/labs/lab.hpp"
#include "app/model/list_axis.hpp"
#include "app/model/program_places.hpp"

namespace lockstep {

// The edges in the order in which the kernel has them, and their nodes.
struct EdgeList {
  std::vector<std::int32_t> source, target;
  std::int64_t nodes = 0, width = 1;
  std::vector<std::int32_t> degree;  // edges that end in a node
};

// What a lane does in one step. -1: nothing of that kind.
struct LaneUse {
  std::int8_t lane = 0;
  std::int32_t edge = -1, from = -1, to = -1;
};

enum class ScatterPart : std::uint8_t { index, fetch, add, store };

// A step: an instruction that the block's warps come to.
struct ScatterStep {
  int launch = 0;
  ScatterPart part = ScatterPart::index;
  ProgramPlace place;
};

struct LaunchUses {
  std::vector<WarpIssue> warps;
  std::vector<std::vector<std::vector<LaneUse>>> uses;  // by warp and its step
};

// Where nodes are drawn, 0 to 1 in both directions.
struct GraphPicture {
  std::vector<std::int32_t> nodes;        // those drawn
  std::vector<Vec2> at;                   // of each of them
  std::vector<std::int32_t> edges;        // drawn: both ends are there
  int place_of(std::int32_t node) const;  // -1: not drawn
  std::vector<std::int32_t> places;       // by node
};

struct ScatterScene final : LabScene {
  explicit ScatterScene(std::shared_ptr<const Run> run);

  const EdgeList edges;
  const std::vector<LaunchUses> launches;
  const std::vector<ScatterStep> program;
  const ListAxis steps;
  const GraphPicture graph;

  const ScatterStep* step_of(int step) const;
  // What the warp's lanes do in the step; empty where it does not come there.
  const std::vector<LaneUse>& uses(int step, std::int64_t warp) const;
  const IssueStep* issued(int step, std::int64_t warp) const;
  // Numbers of messages that the block has added into each node's row so far, this step's with them: by
  // atomics, or in a register as soon as they are fetched.
  std::vector<std::int64_t> arrived(int step) const;

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

 private:
  const std::vector<LaneUse> none_;
};

GraphPicture lay_out(const Run& run, const EdgeList& edges, const std::vector<LaunchUses>& launches);

// Of one instruction of a warp: the most lanes that meet at one address, how many addresses there are, and
// the sectors in which they lie.
struct Meeting {
  int lanes = 0, most_on_one = 0, addresses = 0, sectors = 0;
};
Meeting meeting_of(const WarpInstruction& instruction);
std::int64_t warp_of(const ScatterScene& scene, const LabView& view);

}  // namespace lockstep
