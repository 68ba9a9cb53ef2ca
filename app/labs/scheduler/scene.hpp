// What the SM model makes of a run: its settings, or the program that it brings with it, played cycle by
// cycle; and what a GPU was seen to do with the same settings.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "app/draw/plot.hpp"
#include "app/labs/lab.hpp"
#include "app/model/list_axis.hpp"
#include "app/model/scheduler.hpp"
#include "warp_lanes.hpp"

namespace lockstep {

struct PlayedWarps {
  ChainSetting setting;
  Policy policy = Policy::greedy_youngest;
  int latency = 0, shown_cycles = 120;
  std::string rung;  // "gemm/shared" where the warps run what was traced of another lab's kernel, else ""
  int warps_per_block = 1, most_warps = 64;  // of that kernel
  BlockProgram block;                        // what its warps run
  SmRun sm;
  std::vector<std::uint8_t> eligible;                     // [cycle] warps that could issue
  std::array<std::vector<std::uint8_t>, kSubCores> used;  // [sub-core][cycle] 1 where its slot issues
  // Where units work for the warps: 1 where the sub-core's tensor core does; boxes that are under way.
  std::array<std::vector<std::uint8_t>, kSubCores> tensor;  // [sub-core][cycle]
  std::vector<std::uint8_t> boxes;                          // [cycle]
  bool has_units() const { return !sm.products.empty() || !sm.boxes.empty(); }
  // What a warp of a block with units is there for.
  enum class Part : std::uint8_t { none, fetches, multiplies };
  Part part_of(int warp) const;

  bool own() const { return rung.empty(); }  // this lab's chains
  const WarpProgram& program_of(int warp) const {
    return block.of(warp % sm_setting(sm.warps).warps_per_block);
  }
  // That the warp issues at this cycle or waits to issue; nullptr: it is done.
  const SmInstruction* next_of(int warp, int cycle) const;
  const SmInstruction* last_of(int warp, int cycle) const;  // that it has issued; nullptr: none yet
  SmSetting sm_setting(int warps) const;     // so many warps with these settings, in whole blocks
  int sub_core_of(std::int64_t warp) const;  // a warp that the SM does not hold stands for its last
  std::vector<int> warps_of(int sub_core) const;
  int not_selected(int sub_core, int cycle) const;  // of its warps: those that could have issued as well
  int issued_by(int sub_core) const;                // cycles in which it issued
  int tensor_cycles(int sub_core) const;            // in which its tensor core worked
  // At which barrier in shared memory a warp waits: "full[0]". "" where it does not, or where it has no name.
  std::string barrier_of(int warp, int cycle) const;
  // A state as this kernel's warps are in it: where there are products the fixed times are those of handing
  // them over, too.
  Message meaning_of(WarpState state, bool in_full) const;
  std::string doing(int warp, int cycle) const;  // in words: "waits for boxes: full[0]"
  std::string told(int warp, int cycle) const;   // in short, with its name: "warp 4: waits at full[0]"
  // Of the instruction that it issues or waits to issue, or whose end it waits for; 0: it is done.
  std::uint16_t line_of(int warp, int cycle) const;
  int cycles_in_state(int warp,
                      int cycle) const;  // for how many the warp has been in its state, with this one
  const char* provenance() const;        // of what the model says
};
// Saved runs without the model's own settings get their defaults, a damaged program is the chains.
PlayedWarps played_warps(const Run& run);

// The same settings with 1 to 64 warps; x: warps, y: instructions per cycle.
struct ThroughputCurve {
  std::vector<PlotPoint> model, little, recorded;
  // A kernel of which an SM holds one block has one point: no curve.
  bool of_one_point() const { return model.size() < 2; }
};
// Little's law: so many warps have so many times the throughput of one, until the issue slots are full.
ThroughputCurve throughput_curve(const PlayedWarps& played);

// The cycle at which each warp starts each iteration, and ends: [warp][iteration].
using IterationStarts = std::vector<std::vector<int>>;
IterationStarts modelled_iterations(const PlayedWarps& played);
struct MeasuredIterations {
  IterationStarts starts;  // none where these settings were not measured
  std::string provenance;
};
MeasuredIterations measured_iterations(const Run& run, const PlayedWarps& played);

// "cycle 1257: scheduler 0 issues FFMA of warp 20 ..., which issued last and can go on".
Message why_selected(const PlayedWarps& played, int sub_core, int cycle);

struct SchedulerScene final : LabScene {
  explicit SchedulerScene(std::shared_ptr<const Run> run);

  const PlayedWarps played;
  const IterationStarts modelled;
  const MeasuredIterations measured;
  const ThroughputCurve curve;
  const std::string file;  // that the program's lines are of: "gemm/03_shared.cuh"
  const ListAxis steps;
  const StateCells enlarged_cells, whole_cells;

  const Axis& axis() const override { return steps; }
  int opening_step(std::int64_t warp) const override;
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
  std::string shown_source() const override { return file; }
  std::optional<Timeline> timeline() const override;

 private:
  WarpState state_of(const Phase& phase) const;
  std::vector<WarpState> phase_states_;  // in the order of the axis' phases
};

}  // namespace lockstep
