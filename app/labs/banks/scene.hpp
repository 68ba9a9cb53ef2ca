// What is folded of a bank run: its accesses, wavefront by wavefront.
#pragma once
#include "app/draw/lane_map.hpp"
#include "app/labs/lab.hpp"
#include "app/model/memory_axis.hpp"

namespace lockstep {

struct BanksScene final : LabScene {
  explicit BanksScene(std::shared_ptr<const Run> run);

  const MemoryAxis steps;

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

inline bool is_shared_access(const Step& step) {
  return !step.barrier && step.instruction.view >= kFirstSharedView;
}
// The access as pictures take it; `played`: this step plays one of its wavefronts, else all are past.
SharedAccess shared_access_of(const Step& step, bool played);
// "measured.<name>" of the run.
std::optional<double> measured_cycles(const Run& run, const char* name);
std::string cycles_text(double cycles);  // 29.0

}  // namespace lockstep
