// What is folded of a memory run: its accesses, the levels with what is known of them, the recorded walk with
// its plateaus, and the level that answers here.
#pragma once
#include "app/draw/plot.hpp"
#include "app/labs/lab.hpp"
#include "app/model/memory_axis.hpp"
#include "levels.hpp"

namespace lockstep {

// The place of an access in the footprint: bytes from its start.
struct PlaceRead {
  double byte = 0;
  bool walk = false;  // one thread's, which tells where the next one is
  std::optional<double> next_byte;
};

// What a rung's recordings reached over the footprint: bytes, TB/s.
struct RateLine {
  std::string rung;
  std::vector<PlotPoint> points;
};

struct MemoryScene final : LabScene {
  explicit MemoryScene(std::shared_ptr<const Run> run);

  const MemoryAxis steps;
  const Gpu& gpu;
  const std::vector<LevelFigures> levels;
  const std::vector<PlotPoint> staircase;  // bytes, cycles per load
  const std::vector<Plateau> plateaus;     // KB
  const std::vector<RateLine> rates;       // of the rungs that read and copy
  const std::vector<double> line_cycles;   // of near_far: what the first load of each line took
  const Answering answering;
  const double footprint_bytes;                        // of the memory that the steps walk through
  const std::vector<std::optional<PlaceRead>> places;  // of each step

  const Axis& axis() const override { return steps; }
  int opening_step(std::int64_t warp) const override;
  Message step_title(const LabView& view) const override;
  Message sentence(const LabView& view) const override;
  std::vector<HeadFigure> headline(const LabView& view) const override;
  std::optional<double> step_figure(std::string_view name, const LabView& view) const override;
  std::string step_figure_names() const override;
  Color phase_color(const Phase& phase) const override;
  Message phase_name(const Phase& phase) const override;
  void stage(Canvas& canvas, const StageInput& in, StageEvents& events) const override;
  void card(Canvas& canvas, const StageInput& in) const override;
  std::vector<NumberRow> numbers() const override;
  std::vector<LabPanel> panels(Rect stage, const Theme& theme) const override;

  // Where a step reads the footprint; nothing for one that does not.
  std::optional<PlaceRead> place_at(int step) const;
  // Cycles per load that were measured at these settings.
  std::optional<double> measured_cycles() const;
  bool answers(MemoryLevel level) const { return level == answering.level || level == answering.next; }
  // Of the curve that the stage shows: rates where the rung reads or copies and they are over footprints.
  bool shows_rates() const;
  bool shows_lines() const { return !line_cycles.empty(); }
  bool has_recording() const {
    return shows_lines() || (shows_rates() ? !rates.empty() : !staircase.empty());
  }
  std::optional<double> setting_bytes() const;  // the footprint that is set; nothing for a rung without one
  const LevelFigures& figures_of(MemoryLevel level) const { return levels[std::size_t(level)]; }
  std::string stairs_provenance() const { return std::string(provenance_of(run(), "metrics.curve")); }
};

}  // namespace lockstep
