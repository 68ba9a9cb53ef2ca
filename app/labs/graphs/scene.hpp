// A run of kernels that wait for one another, by a stream and as a graph: what a GPU was seen to do, or,
// where none was, what the models say; as a timeline of both on one axis.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/draw/theme.hpp"
#include "app/labs/lab.hpp"
#include "app/model/pipeline.hpp"
#include "app/model/timeline.hpp"

namespace lockstep {

// Kinds of the timeline's spans; kernels have one for each name, from `kernel` on.
enum class SpanKind : std::uint16_t { call, wait, waits_for_cpu, starts, waits_for_other, kernel };
constexpr int kKernelColors = 6;

enum class Ways { both, stream, graph };

struct GraphsScene {
  std::vector<PipelineNode> nodes;
  PipelineRecord stream, graph;
  PipelineRecord capture;  // calls alone; none where it was not seen
  bool modelled = false;   // the records are the models' and not a GPU's
  std::string problem;     // why there is no graph; the stream alone is shown then
  bool each = false;       // the CPU waits after every kernel
  LaunchCosts costs;
  PipelineModels models;
  Ways shown = Ways::both;
  std::vector<int> order;  // the nodes as their kernels start in the stream
  Timeline timeline;
  std::vector<std::uint32_t> stream_ids, graph_ids;  // of the kernels' spans, by node; 0 where not shown

  // Of the record that comes first in the picture.
  const PipelineRecord& first() const { return shown == Ways::graph ? graph : stream; }
  StartTimes first_starts() const {
    return shown == Ways::graph ? graph_starts(costs) : stream_starts(costs);
  }
  int node_at(int step) const;
  std::vector<int> colors;  // by node, 0 .. kKernelColors - 1: one name, one colour
  int color_of(int node) const { return colors[std::size_t(node)]; }
};
// Kept between frames. Nothing where the run is not one of this lab.
std::shared_ptr<const GraphsScene> graphs_scene(const Run& run);

Color kernel_color(int index);
// Where the times come from: a record's words, or the models'.
std::string times_provenance(const Run& run, const GraphsScene& scene);

// "launched one by one" and "as one graph", with what the picture below says in numbers.
void draw_graphs(Canvas& canvas, const StageInput& in, StageEvents& events);
// What a capture takes and refuses, as it was tried.
struct CaptureRow {
  std::string what, answer;
  std::string error;   // the runtime's name of it; "" where it works
  std::string detail;  // why, and the way out
  bool refused = false, known = false;
};
std::vector<CaptureRow> capture_rows(const Run& run);

struct TableRow {
  std::string label, value;
  bool dim = false;  // says more of the row above
};
// A profiler's records beside the stamps: the constants between them, and why there are none.
struct SourcesCard {
  std::string text, problem;  // problem: "" = none
  std::vector<TableRow> rows;
};
std::optional<SourcesCard> sources_card(const Run& run);  // nothing where nobody asked for records

}  // namespace lockstep
