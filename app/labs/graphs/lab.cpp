// Where does the time between kernels go?
// The same kernels launched one by one and as one graph, on one axis of time: what the CPU calls, when each
// kernel runs, and why a lane stands still before it. Shorten the kernels until the graph wins; wait after
// each of them; then predict the break-even length and look where it is.
#include <algorithm>
#include <cstdio>
#include <map>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/ranges_scene.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {

// --- steps: one per kernel, in the order in which they start; kernels of one name are one phase

namespace {

std::vector<std::uint16_t> lines_of(const Launch& launch, std::uint16_t file) {
  std::vector<std::uint16_t> lines;
  for (const Access& access : launch.trace.events)
    if (access.file == file) lines.push_back(access.line);
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

// How many kernels of its name stand before each node: with the name, what it is called in any order.
std::vector<std::int64_t> indices_of(const std::vector<PipelineNode>& nodes) {
  std::map<std::string, std::int64_t> seen;
  std::vector<std::int64_t> indices;
  for (const PipelineNode& node : nodes) indices.push_back(seen[node.name]++);
  return indices;
}

ListAxis steps_of(const Run& run, const LaunchedKernels& launched) {
  const Ladder* ladder = find_ladder(run.request.lab);
  const int rung = ladder ? std::max(0, ladder->info.rung_index(run.request.rung)) : 0;
  const std::uint16_t file = ladder ? source_id(run, ladder->info.rungs[std::size_t(rung)].file) : 0;
  ListAxis axis(file);
  const bool traced = run.launches.size() == launched.nodes.size();
  const auto indices = indices_of(launched.nodes);
  int color = -1;
  for (const int node : launched.order) {
    const auto i = std::size_t(node);
    if (color != launched.colors[i]) axis.next_phase();
    color = launched.colors[i];
    axis.add(launched.nodes[i].name, traced ? lines_of(run.launches[i], file) : std::vector<std::uint16_t>{},
             indices[i]);
  }
  return axis;
}

}  // namespace

GraphsScene::GraphsScene(std::shared_ptr<const Run> run)
    : LabScene(std::move(run)),
      launched(launched_kernels(this->run())),
      cards(graph_cards(this->run())),
      steps(steps_of(this->run(), launched)) {}

std::optional<Timeline> GraphsScene::timeline() const {
  return launched.nodes.empty() ? std::nullopt : std::optional(launched.timeline);
}

Color GraphsScene::phase_color(const Phase& phase) const {
  return kernel_color(launched.nodes.empty() ? 0
                                             : launched.colors[std::size_t(launched.node_at(phase.first))]);
}

Message GraphsScene::phase_name(const Phase& phase) const {
  if (launched.nodes.empty()) return msg("no step");
  const auto name = [&](int step) { return launched.names[std::size_t(launched.node_at(step))]; };
  if (phase.count == 1) return msg("kernel {0}", {name(phase.first)});
  return msg("kernels {0} to {1}", {name(phase.first), name(phase.first + phase.count - 1)});
}

Message GraphsScene::phase_place(const Phase& phase) const {
  return msg("steps {0} to {1}: kernels in the order of their starts",
             {number_text(phase.first + 1), number_text(phase.first + phase.count)});
}

Message GraphsScene::step_title(const LabView& view) const {
  if (launched.nodes.empty()) return msg("no step");
  const auto node = std::size_t(launched.node_at(view.step));
  return msg("{0} starts at {1}",
             {launched.names[node], us_text(double(launched.first().kernels[node].start_ns) / 1e3)});
}

// --- sentence: why the kernel starts when it does, by the pieces of the pause before it, in its lane

Message GraphsScene::sentence(const LabView& view) const {
  if (launched.nodes.empty()) return msg("This run has no steps.");
  const int node = launched.node_at(view.step);
  const std::string& name = launched.names[std::size_t(node)];
  const std::string start = us_text(double(launched.first().kernels[std::size_t(node)].start_ns) / 1e3);
  const auto pause = launched.pause_before(node, launched.shown == Ways::graph);
  if (!pause) return msg("{0} starts at {1}. It is the first kernel of its lane.", {name, start});
  if (pause->for_cpu > 0)
    return msg(
        "{0} starts at {1}. Before it, its lane is idle for {2}, {3} of it because the launch comes late.",
        {name, start, us_text(pause->all), us_text(pause->for_cpu)});
  if (pause->for_other > 0)
    return msg(
        "{0} starts at {1}. Before it, its lane is idle for {2}, {3} of it waiting for a kernel of another "
        "lane.",
        {name, start, us_text(pause->all), us_text(pause->for_other)});
  return msg(
      "{0} starts at {1}, {2} after the kernel before it. It was launched in time: that is how long the GPU "
      "takes from one kernel to the next.",
      {name, start, us_text(pause->all)});
}

// --- headline: the pause before this kernel by either way of launching, and what the graph gains in all

std::vector<HeadFigure> GraphsScene::headline(const LabView& view) const {
  if (launched.nodes.empty()) return {};
  const int node = launched.node_at(view.step);
  const std::string words = times_provenance();
  std::vector<HeadFigure> figures;
  const auto before = [&](bool in_graph) {
    const PipelineRecord& record = in_graph ? launched.graph : launched.stream;
    const std::vector<std::string> name{launched.names[std::size_t(node)]};
    const auto pause = launched.pause_before(node, in_graph);
    const double us = pause ? pause->all : double(record.kernels[std::size_t(node)].start_ns) / 1e3;
    const std::string note =
        pause      ? in_graph ? tr("before {0}, as a graph", name) : tr("before {0}, one by one", name)
             : in_graph ? tr("until {0} starts, as a graph", name)
                   : tr("until {0} starts, one by one", name);
    figures.push_back(
        {us_text(us), tr("idle"), note, figures.empty() ? words : "", pause && pause->for_cpu > 0});
  };
  if (launched.shown != Ways::graph) before(false);
  if (launched.shown != Ways::stream) before(true);
  const double one_by_one = launched.stream.total_us(), as_graph = launched.graph.total_us();
  if (!launched.problem.empty() || as_graph <= 0) {
    figures.push_back({us_text(idle_us(launched.stream)), tr("idle"),
                       tr("of {0} in all", {us_text(one_by_one)}), "", false});
    return figures;
  }
  char times[32];
  std::snprintf(times, sizeof times, "%.2f ×", one_by_one / as_graph);
  figures.push_back({times, tr("as fast"),
                     tr("as one graph: {0}, not {1}", {us_text(as_graph), us_text(one_by_one)}), "", false});
  return figures;
}

// --- numbers

std::vector<NumberRow> GraphsScene::numbers() const {
  std::vector<NumberRow> rows;
  const auto time = [&](Message label, const std::string& name) {
    if (const auto value = real_metric(run(), name))
      rows.push_back({std::move(label), us_text(*value), "metrics." + name});
  };
  const auto share = [&](Message label, const std::string& name) {
    if (const auto value = real_metric(run(), name))
      rows.push_back({std::move(label), (*value > 0 ? "+" : "") + percent_text(*value), "metrics." + name});
  };
  time(msg("one by one"), "stream.total_us");
  time(msg("GPU idle"), "stream.gaps_us");
  time(msg("as one graph"), "graph.total_us");
  time(msg("GPU idle in the graph"), "graph.gaps_us");
  time(msg("serial model"), "models.serial_us");
  time(msg("asynchronous model"), "models.asynchronous_us");
  share(msg("serial, off by"), "models.serial_error");
  share(msg("asynchronous, off by"), "models.asynchronous_error");
  time(msg("graph model"), "models.graph_us");
  time(msg("kernel length that hides a launch"), "models.break_even_us");
  time(msg("a launch"), "costs.launch_us");
  time(msg("from node to node"), "costs.node_gap_us");
  if (const auto error = real_metric(run(), "clock.error_us"))
    rows.push_back({msg("clock alignment"), "± " + us_text(*error), "metrics.clock.error_us"});
  return rows;
}

// --- entry

namespace {

class GraphsLab final : public Lab {
 public:
  const LabInfo& info() const override { return find_ladder("graphs")->info; }
  std::unique_ptr<LabScene> open(std::shared_ptr<const Run> run) const override {
    return or_its_ranges(run, std::make_unique<GraphsScene>(run));
  }
  // A layer's kernels are as long as they are: no pipeline of as many equal ones.
  Message why_no_bar(std::string_view rung, std::span<const Run> timed) const override {
    if (rung != "decode") return {};
    for (const Run& run : timed)
      if (run.request.rung == rung)
        return msg("other kernels: {0} as one graph", {time_text(run.time->median_ms)});
    return msg("other kernels");
  }
  Message ladder_problem(const Run& timed) const override {
    const Params& params = timed.request.params;
    if (!params.contains("kernels") || !params.contains("kernel_us")) return {};
    return msg("{0} kernels of {1} µs, as one graph",
               {to_string(params.at("kernels")), to_string(params.at("kernel_us"))});
  }
};

}  // namespace

const Lab& graphs_lab() {
  static const GraphsLab lab;
  return lab;
}

}  // namespace lockstep
