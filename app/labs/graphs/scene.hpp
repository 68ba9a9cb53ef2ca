// A run of kernels that wait for one another, by a stream and as a graph: what a GPU was seen to do, or,
// where none was, what the models say; as a timeline of both on one axis.
#pragma once
#include <string>
#include <vector>

#include "app/labs/lab.hpp"
#include "app/model/list_axis.hpp"
#include "app/model/pipeline.hpp"
#include "app/model/timeline.hpp"
#include "cards.hpp"

namespace lockstep {

// Kinds of the timeline's spans; kernels have one for each name, from `kernel` on.
enum class SpanKind : std::uint16_t { call, wait, waits_for_cpu, starts, waits_for_other, kernel };
constexpr int kKernelColors = 6;
Color kernel_color(int index);

enum class Ways { both, stream, graph };

// What each kernel is called wherever it stands: by its function, numbered where several run the same one
// ("step 6"), or after what it makes ("qkv product").
std::vector<std::string> kernel_names(const std::vector<PipelineNode>& nodes);

// How long a kernel's lane stood still before it, in us.
struct Pause {
  double all = 0;
  double for_cpu = 0, for_other = 0;  // of it: its launch came late; another lane's kernel was not done
};

struct LaunchedKernels {
  std::vector<PipelineNode> nodes;
  std::vector<std::string> names;  // by node: kernel_names()
  std::vector<int> colors;         // by node, 0 .. kKernelColors - 1: one of its nodes' names, one colour
  PipelineRecord stream, graph;
  PipelineRecord capture;  // calls alone; none where it was not seen
  bool modelled = false;   // the records are the models' and not a GPU's
  std::string problem;     // why there is no graph; the stream alone is shown then
  bool each = false;       // the CPU waits after every kernel
  LaunchCosts costs;
  PipelineModels models;
  Ways shown = Ways::both;
  std::vector<int> order;  // the nodes as their kernels start in what is shown first: one step each
  Timeline timeline;
  std::vector<std::uint32_t> stream_ids, graph_ids;  // of the kernels' spans, by node; 0 where not shown

  // Of the record that comes first in the picture.
  const PipelineRecord& first() const { return shown == Ways::graph ? graph : stream; }
  StartTimes first_starts() const {
    return shown == Ways::graph ? graph_starts(costs) : stream_starts(costs);
  }
  // Nothing for the first kernel of its lane, before which nobody waits.
  std::optional<Pause> pause_before(int node, bool in_graph) const;
  int node_at(int step) const;
  int step_of_node(int node) const;
};
LaunchedKernels launched_kernels(const Run& run);  // without nodes where the run is not one of this lab

struct GraphsScene final : LabScene {
  explicit GraphsScene(std::shared_ptr<const Run> run);

  const LaunchedKernels launched;
  const GraphCards cards;
  const ListAxis steps;
  // Where the times come from: a record's words, or the models'.
  std::string times_provenance() const;

  const Axis& axis() const override { return steps; }
  bool steps_are_launched() const override { return false; }  // they are the timeline's kernels
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

}  // namespace lockstep
