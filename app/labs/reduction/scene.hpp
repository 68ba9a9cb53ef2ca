// What is folded of a reduction: its rounds of additions, as the followed block's accesses show them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/labs/lab.hpp"
#include "app/model/marks.hpp"
#include "app/model/progress.hpp"

namespace lockstep {

// What a step of a reduction does, by the kernel's own words.
enum class ReductionPart : std::uint8_t {
  other,
  ask,
  load,
  rest,
  sums,
  add,
  lanes,
  share,
  warps,
  tree,
  store
};

// One addition: the value at `from` onto that at `to`, both positions in the block (threads, or what they
// left in shared memory).
struct Addition {
  std::int32_t to = 0, from = 0;
  bool needed = false;  // the block's result hangs on it
};

// A row of the tree: one step, or all trips of a loop of loads together.
struct Round {
  ReductionPart part = ReductionPart::other;
  int first_step = 0, steps = 1;
  std::int64_t distance = 0;        // of the pairs that are added
  std::vector<Addition> additions;  // by `to`
  std::vector<std::uint8_t> holds;  // a flag for each position: a value that is still needed stands there
  std::uint64_t warp_mask = 0;      // the block's warps that have a lane at work
  std::int64_t warps = 0;           // how many they are
  std::int64_t lanes = 0;           // at work
  std::int64_t needed = 0;          // of them
  std::int64_t wavefronts = 0, fewest_wavefronts = 0;  // of its accesses to shared memory
  bool in_registers() const { return part == ReductionPart::lanes || part == ReductionPart::warps; }
};

// A chunk of the array that one thread asks the copy engine for. The k-th of a block is loaded, out of shared
// memory, by the k-th step "load".
struct Chunk {
  Span elements;
  int asked = 0, loaded = 0;  // steps
  bool on_its_way(int step) const { return asked <= step && step < loaded; }
};

// What one launch does with one block of the grid.
struct Tree {
  int launch = 0;
  std::int64_t threads = 0;
  std::vector<Round> rounds;
  std::vector<Chunk> chunks;  // empty where the threads load by themselves
  std::int64_t on_their_way(int step) const;
};

struct ReductionScene final : LabScene {
  explicit ReductionScene(std::shared_ptr<const Run> run);

  const MarkedAxis steps;
  const BlockProgress progress;
  const std::vector<Tree> trees;  // by launch

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
};

ReductionPart reduction_part(std::uint16_t mark);
// The launch's tree and its round of this step; nullptr where there is none.
const Tree* tree_of(const ReductionScene& scene, int step);
const Round* round_of(const ReductionScene& scene, int step);
// The elements of the launch's first array that the followed block loads in this step; empty for others.
Span loaded_by(const ReductionScene& scene, int step);

}  // namespace lockstep
