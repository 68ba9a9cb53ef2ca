// What a ladder wants measured or modelled besides a run of its kernel. A plan is data; the experiment of its
// name (app/engine/experiment.hpp) carries it out. A ladder of any lab may ask for any of them.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/model/curves_evidence.hpp"
#include "app/model/occupancy_evidence.hpp"
#include "app/model/pipeline.hpp"
#include "app/model/placement.hpp"
#include "app/model/transfer.hpp"
#include "kernels/ladder.hpp"

namespace lockstep {

// A column of what `bench` prints.
struct BenchColumn {
  std::string title, figure;  // "cycles, chain", "measured.chain_cycles"
};

struct ExperimentPlan {
  virtual ~ExperimentPlan() = default;
  virtual std::string_view experiment() const = 0;
  virtual std::vector<BenchColumn> bench_columns() const { return {}; }
  // The time of a run that is timed as a whole and not launch by launch; nothing where it was not.
  virtual std::optional<Timing> whole_time(const Run&) const { return {}; }
  // The parameter of the ladder, a choice, that may name a rung of another one ("kernel"); "" for none. Its
  // own words come first and name none; the catalogue adds every rung of the other ladders.
  std::string rung_choice;
  std::optional<RungName> chosen_rung(const Params& params) const;  // nothing where no rung is named
};

// The ladder's plan of this type; nullptr where it has none.
template <class Plan>
const Plan* plan_of(const Ladder& ladder) {
  for (const auto& plan : ladder.experiments)
    if (const auto* own = dynamic_cast<const Plan*>(plan.get())) return own;
  return nullptr;
}

// A figure that stands without a run.
struct KnownFigure {
  Value value;
  Provenance provenance;
};
using KnownFigures = std::map<std::string, KnownFigure>;

// --- kernels that wait for one another, launched by streams and as a graph
// -----------------------------------------

struct PipelinePlan final : ExperimentPlan {
  std::string_view experiment() const override { return "pipeline"; }
  std::vector<BenchColumn> bench_columns() const override;
  std::optional<Timing> whole_time(const Run& run) const override;  // as one graph
  // The kernels of a run with what each waits for, in the order of its launches. The last buffer holds their
  // stamps.
  std::function<std::vector<PipelineNode>(const Params&, std::string_view rung)> nodes;
  // What the models say where nothing was measured.
  std::function<KnownFigures(const Params&)> known;
};

// --- copies, prefetches and kernels as a program makes them, on real memory of the kinds that the buffers
// name
// -------------------------------------------------------------------------------------------------

struct TransferPlan final : ExperimentPlan {
  std::string_view experiment() const override { return "operations"; }
  std::vector<BenchColumn> bench_columns() const override;
  std::optional<Timing> whole_time(const Run& run) const override;
  // The settings of what is timed and modelled, as large as a program's arrays are.
  std::function<Params(const Params&, std::string_view rung)> timed;
  // How long all kernels of the timed run are to be together, us. A GPU's are made so long by a setting of
  // that name (whole number), calibrated on this rung, whose kernels move nothing over the link.
  std::function<double(const Params&)> kernels_us;
  std::string rounds, calibrated_rung;
  // What the model takes calls and copies to cost, and whose word that is. CurvesPlan's evidence is in the
  // run where it comes before this plan.
  struct Costs {
    TransferCosts costs;
    Provenance provenance;
  };
  std::function<Costs(const Run&)> costs = [](const Run&) {
    return Costs{known_transfer_costs(), Provenance::modelled()};
  };
};

// --- several stopwatches around the same launches, and products of several sizes
// -----------------------------------

struct StopwatchPlan final : ExperimentPlan {
  std::string_view experiment() const override { return "stopwatches"; }
  int copies = 1;  // of the kernel: each one's first launch in a process finds its code not yet loaded
  RungName product;
  std::vector<std::int64_t> sizes;                       // n of the n x n products
  std::function<Params(std::int64_t n)> product_params;  // of that rung
};

// --- numbers at settings of their own
// -----------------------------------------------------------------------------

struct HostCopy {  // by the copy engines, between the host's memory and the GPU's
  std::uint64_t bytes = 0;
  bool pinned = true, to_device = true;
};

// A number that the clean kernel takes itself (by the SM's clock), or, without `value`, the time of its
// launch in ms, by CUDA events, L2 overwritten before each.
struct Measurement {
  std::string name;  // below metrics.measured: "chain_cycles"
  std::string rung;  // the rung that is run for it
  Params params;     // may hold settings beside the lab's own ("repeat")
  double (*value)(const Params& params, std::span<const ConstBytes> buffers) = nullptr;
  // What is kept as text of the launch that gave the median: metrics.measured.chain_cycles_text; may be null.
  std::string (*text)(const Params& params, std::span<const ConstBytes> buffers) = nullptr;
  // Of a timed launch: settings that change how it is launched, and neither the buffers nor what fills them
  // nor the right result. No launch writes an input. Between runs that differ in these alone the buffers are
  // kept.
  std::vector<std::string> of_launch = {};
  // In place of a launch: the time of a copy, on the host's clock, until all of it has arrived.
  std::optional<HostCopy> copy = {};
};

// Medians over several launches. Such a ladder has no `time`.
struct MeasurementPlan final : ExperimentPlan {
  std::string_view experiment() const override { return "measurements"; }
  std::vector<BenchColumn> bench_columns() const override { return columns; }
  std::function<std::vector<Measurement>(std::string_view rung, const Params&)> measurements;
  // What follows from what was measured, as figures below "measured".
  std::function<Metrics(const Run&)> derived;
  std::vector<BenchColumn> columns;  // empty: every number that is measured
  std::string unit;                  // of the columns, for their title
};

// --- when the warps of a block were at which of the kernel's steps
// -----------------------------------

// Of rungs whose warps do different things (cmake/rungs.cmake says which). Noted down at settings of their
// own, large enough that the block runs among as many others as it would in a program.
struct StepTimesPlan final : ExperimentPlan {
  std::string_view experiment() const override { return "step_times"; }
  std::function<Params(std::string_view rung)> settings;  // may leave out what has a default
};

// --- the model of one SM
// ------------------------------------------------------------------------------------------

// A launch of another lab's rung.
struct PlayedLaunch {
  const Ladder& ladder;
  RungName name;
  Params params;
  int launches = 1;  // of the run
  const Launch& launch;
};
struct PlayedFacts {
  KnownFigures known;
  std::vector<Message> warnings;
};

struct SmPlan final : ExperimentPlan {
  std::string_view experiment() const override { return "sm"; }
  // What the model says of these settings, and what was recorded once.
  std::function<KnownFigures(const Params&)> known;
  // In its place, where the model plays what the run's own block did; nothing where the run tells too little.
  std::function<KnownFigures(const Run&)> known_of_run;
  // Where the chosen rung is played in place of the ladder's own: what is then known in place of `known`,
  // from that launch of its default run which does most, with the emulator's trace of block 0.
  std::function<PlayedFacts(const Params&, const PlayedLaunch&)> known_of_played;
  std::string measured_cycles;  // the Measurement that the model's cycles are held against
};

// --- which blocks an SM holds
// -------------------------------------------------------------------------------------

struct OccupancyAnswer {
  Occupancy occupancy;
  NextBlocks threads, registers, shared_bytes;
};

// A model answers in place of the launch, with the needs of the chosen rung where there is one; the launch's
// own answer stands aside (DriverEvidence).
struct OccupancyPlan final : ExperimentPlan {
  std::string_view experiment() const override { return "occupancy"; }
  std::optional<Timing> whole_time(const Run& run) const override;
  std::function<OccupancyAnswer(const Params&, const LoadedKernel&)> answer;
};

// --- which SM runs which block when
// -------------------------------------------------------------------------------------

// A model answers for the device that is chosen; beside it stands what was recorded with the same settings on
// every device that there is.
struct PlacementPlan final : ExperimentPlan {
  std::string_view experiment() const override { return "placement"; }
  // Nothing where the model has no answer.
  std::function<std::optional<Placement>(const Params&, std::string_view rung, const Gpu&)> modelled;
  std::string measured;             // the Measurement whose text is the placement
  std::string groups_rung, groups;  // the rung and its figure that tell which SMs share a GPC
};

// --- what the recordings of a lab say together
// --------------------------------------------------------------------

struct CurvesPlan final : ExperimentPlan {
  std::string_view experiment() const override { return "curves"; }
  std::function<CurvesEvidence(std::span<const Run> recordings)> curves;  // all of one device
};

}  // namespace lockstep
