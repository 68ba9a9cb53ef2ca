// What is folded of a run: the device and its part, which SM runs which block when, and which SMs share a GPC
// as far as clusters told.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/labs/lab.hpp"
#include "app/model/list_axis.hpp"
#include "app/model/placement.hpp"
#include "parts.hpp"

namespace lockstep {

struct ShownPlacement {
  Placement placement;
  std::vector<Seat> seats;
  PlacementFigures figures;
  std::string provenance;  // words of its badge
  bool modelled = false;
};

struct SmGroups {
  std::vector<std::vector<int>> groups;
  std::string provenance;
};

struct LookedAt {
  Gpu gpu;
  Part part = Part::chip;
  int sm = -1;  // -1: none
  std::optional<Station> station;

  // Whether a product's bytes have come this far.
  bool lit(Station s) const { return station && s <= *station; }
};
LookedAt looked_at(const Run& run);

struct ArchitectureScene final : LabScene {
  explicit ArchitectureScene(std::shared_ptr<const Run> run);

  const LookedAt at;
  // By the model, and as it was seen on the device: nothing where there is none.
  const std::optional<ShownPlacement> model, seen;
  const SmGroups groups;
  const ListAxis steps;

  // What was seen, else the model; nullptr where neither is there.
  const ShownPlacement* shown() const { return seen ? &*seen : model ? &*model : nullptr; }
  std::int64_t ns_at(int step) const;
  int step_at(double ns) const;
  // Blocks that are on this SM at a time, in the order of their numbers.
  std::vector<int> blocks_on(int sm, std::int64_t ns) const;
  struct Moment {
    std::int64_t running = 0, done = 0, waiting = 0, busy_sms = 0;
  };
  Moment moment_at(std::int64_t ns) const;

  const Axis& axis() const override { return steps; }
  int opening_step(std::int64_t) const override { return steps.count() * 4 / 10; }
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
  Message panels_title() const override { return msg("Device"); }
  std::optional<Timeline> timeline() const override;

 private:
  bool is_tail(const Phase& phase) const;
};

}  // namespace lockstep
