// What is folded of an index run: its accesses, and the arithmetic that says which thread has which element.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/labs/lab.hpp"
#include "app/model/memory_axis.hpp"
#include "kernels/threads/index_map.hpp"

namespace lockstep {

// What the reader looks at: a thread, and which of its elements; none of a thread that is masked.
struct Pick {
  ThreadPlace thread;
  std::optional<Extent3> element;
};

// A line of the kernel's arithmetic, with the numbers of one thread: "col = blockIdx.x * ...", "3 * 16 + 5 =
// 53".
struct IndexLine {
  std::string formula, numbers;
  bool compares = false;  // no "=" between the two
};

// What a block's shape, or a grid, was recorded to take for the same problem.
struct ShapeTime {
  std::string shape;  // "33", "17 × 15"
  double ms = 0;
  bool here = false;  // this run's
};

struct ThreadsScene final : LabScene {
  explicit ThreadsScene(std::shared_ptr<const Run> run);

  const MemoryAxis steps;
  const IndexMap map;
  const std::vector<ShapeTime> times;
  const int dimensions;  // of the problem: 1, 2 or 3; 0: a stranger's run, which is not drawn

  std::int64_t followed_block() const { return run().launches.at(0).trace.block; }
  std::uint16_t out_view() const;
  bool is_of_problem(std::uint16_t view) const;  // an array of the shape of what is written
  // Elements that a step touches, ascending: of an array of another shape than `out`, those of `out` whose
  // threads do it.
  std::vector<std::int64_t> elements_of_step(int step) const;
  std::optional<std::int64_t> element_of_lane(const WarpInstruction& i, int lane) const;
  // The pinned element, else one of the step's.
  Pick pick(const LabView& view) const;
  Pick pick_of_element(const Extent3& element) const;
  Pick pick_of_thread(const ThreadPlace& thread) const;
  // How the thread comes to its element, and whether the mask lets it; how it comes to its warp and lane.
  std::vector<IndexLine> element_lines(const Pick& pick) const;
  IndexLine mask_line(const Extent3& at) const;
  std::vector<IndexLine> lane_lines(const Pick& pick) const;
  std::string element_name(const Extent3& element) const;  // "out[18][53]"
  std::string place_text(const Extent3& index) const;      // "(3, 1)", of a 1-D problem "3"

  const Axis& axis() const override { return steps; }
  int opening_step(std::int64_t warp) const override;
  Message step_title(const LabView& view) const override;
  std::vector<HeadFigure> headline(const LabView& view) const override;
  Message sentence(const LabView& view) const override;
  Color phase_color(const Phase& phase) const override;
  Message phase_name(const Phase& phase) const override;
  void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const override;
  void card(Canvas& canvas, const StageInput& in) const override;
  std::vector<NumberRow> numbers() const override;
  std::vector<LabPanel> panels(Rect stage, const Theme& theme) const override;
  Message panels_title() const override { return msg("Times"); }
};

}  // namespace lockstep
