// What is folded of a coalescing run: its accesses, and what other settings of the rung cost.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/draw/plot.hpp"
#include "app/draw/sector_map.hpp"
#include "app/labs/lab.hpp"
#include "app/model/memory_axis.hpp"
#include "app/model/progress.hpp"
#include "rungs.hpp"

namespace lockstep {

// One parameter of the rung, all else as it is: the sectors of a request by the kernel's own indices, or,
// where those come out of memory, as recorded; and what the recordings say of the throughput.
struct CostCurve {
  Parameter parameter;
  std::string held;                          // "stride = 1": where the others stand
  std::optional<double> here;                // the run's own value, where it lies on the curve
  std::vector<PlotPoint> sectors, gb_per_s;  // rising x; either may be empty
  bool sectors_are_recorded = false;
};

struct CoalescingScene final : LabScene {
  explicit CoalescingScene(std::shared_ptr<const Run> run);

  const MemoryAxis steps;
  const BlockProgress progress;
  const std::vector<CostCurve> curves;
  const std::vector<RungCost> rungs;

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
};

GlobalAccess access_of(const WarpInstruction& instruction);
std::string view_name(const Run& run, const Step& step);
std::vector<CostCurve> cost_curves(const Run& run);

}  // namespace lockstep
