// A run of copies, kernels and pages that move: what a GPU was seen to do, or, where none was, what the model
// says; as a timeline of the CPU's calls and of each engine, and what copies cost by their size.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/labs/lab.hpp"
#include "app/model/list_axis.hpp"
#include "app/model/timeline.hpp"
#include "app/model/transfer.hpp"

namespace lockstep {

// Kinds of the timeline's spans. `touches`: the kernel or the CPU itself moves bytes over the link.
enum class TransferSpan : std::uint16_t { call, wait, in, compute, out, read, touches };
constexpr int kTransferSpans = 7;

// One way of the link: copies that were timed alone, by size, and the line through them.
struct CopyCurve {
  std::vector<CopyTime> timed;  // none where nobody has
  std::optional<CopyFit> fit;   // of those; else
  CopyCost modelled;            // what the model takes
  const CopyCost& cost() const { return fit ? fit->cost : modelled; }
};

struct Transferred {
  std::vector<Operation> operations;
  std::vector<std::string> names;  // "copy in 3", the kernel's own, numbered where there are several
  PipelineRecord record;
  bool modelled = false;   // the record is the model's and not a GPU's
  bool no_faults = false;  // and leaves out what page faults cost
  std::vector<int> order;  // the operations as they start: one step each
  std::vector<int> chunk;  // by operation: which of its kind, from 0
  Timeline timeline;
  std::vector<std::uint32_t> ids;  // of the operations' spans
  CopyCurve in, out;
  int operation_at(int step) const;
  int step_of_operation(int operation) const;
  const KernelSpan& span(int operation) const { return record.kernels[std::size_t(operation)]; }
  double us(int operation) const { return double(span(operation).end_ns - span(operation).start_ns) / 1e3; }
  double total_us = 0;                       // of the record: until the last call returns
  std::optional<double> plain_us;            // of the same calls without events, where a GPU was asked
  double link_bytes_by_touch = 0;            // moved by who touches them, and not by a copy
  double calls_us() const;                   // of the CPU, those aside in which it waits for the GPU
  double call_us(int operation) const;       // of the call for it; 0 where it has none
  double lane_us(OperationLane lane) const;  // of all operations there
  double last_call_us() const;               // when the CPU has made its last call, that wait aside
  double idle_us() const;                    // of the total: no operation runs
  // The operations that run at this one's middle, itself aside.
  std::vector<int> beside(int operation) const;
};
Transferred transferred(const Run& run);  // without operations where the run is not one of this lab

// Where the stage's parts stand; of no height: not there.
struct TransferParts {
  Rect times, overlap, cost;
};

struct TransferScene final : LabScene {
  explicit TransferScene(std::shared_ptr<const Run> run);

  const Transferred done;
  const ListAxis steps;
  std::string times_provenance() const;   // whose word the timeline is
  std::string curves_provenance() const;  // and whose the curves are

  TransferParts plan(const Theme& theme, Rect stage, bool presentation) const;

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
  std::vector<LabPanel> panels(Rect stage, const Theme& theme) const override;
  std::optional<Timeline> timeline() const override;
};

Color operation_color(OperationKind kind);
// The two ways' formulas, and below them rates over sizes.
void draw_cost(Canvas& canvas, const Theme& theme, Rect r, const Transferred& done);

}  // namespace lockstep
