// What is folded of an occupancy run: the SM that its settings fill, and the rates that were recorded with
// more or fewer resident warps.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/labs/lab.hpp"
#include "app/model/list_axis.hpp"
#include "filled_sm.hpp"

namespace lockstep {

// What a rung reached: GB/s, or TFLOP/s where it is a product.
struct RateCurve {
  std::string rung;
  bool product = false;
  std::vector<PlotPoint> points;  // resident warps, rate
};

struct OccupancyScene final : LabScene {
  explicit OccupancyScene(std::shared_ptr<const Run> run);

  // Empty; nothing where the run has no occupancy or names a device that is not known.
  const std::optional<FilledSm> sm;
  const bool product;                   // of the run's rung
  const std::vector<RateCurve> curves;  // in the order of the rungs
  const ListAxis steps;
  std::optional<FilledSm> sm_at(int step) const;
  bool has_curve(bool of_products) const;
  Plot throughput_plot(const Theme& theme, bool of_products) const;

  const Axis& axis() const override { return steps; }
  int opening_step(std::int64_t) const override { return steps.count() - 1; }
  Message step_title(const LabView& view) const override;
  Message sentence(const LabView& view) const override;
  std::vector<HeadFigure> headline(const LabView& view) const override;
  std::optional<double> step_figure(std::string_view name, const LabView& view) const override;
  std::string step_figure_names() const override;
  Color phase_color(const Phase& phase) const override;
  Message phase_name(const Phase& phase) const override;
  Message phase_place(const Phase& phase) const override;
  void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const override;
  void card(Canvas& canvas, const StageInput& in) const override;
  std::vector<NumberRow> numbers() const override;
  std::vector<LabPanel> panels(Rect stage, const Theme& theme) const override;

 private:
  bool is_refusal(const Phase& phase) const { return phase.first + 1 == steps.count(); }
};

}  // namespace lockstep
