#include "scene.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/pipeline_evidence.hpp"
#include "kernels/experiments.hpp"

namespace lockstep {
namespace {

// What the models take where nobody has said how long a kernel is.
constexpr double kAssumedLength_us = 5;

std::vector<double> nominal_lengths(const Params& params, std::size_t nodes) {
  const auto at = params.find("kernel_us");
  const auto* length = at == params.end() ? nullptr : std::get_if<std::int64_t>(&at->second);
  return std::vector<double>(nodes, length ? double(*length) : kAssumedLength_us);
}

std::vector<double> lengths_of(const PipelineRecord& record) {
  std::vector<double> lengths;
  for (const KernelSpan& kernel : record.kernels)
    lengths.push_back(double(kernel.end_ns - kernel.start_ns) / 1e3);
  return lengths;
}

std::string word(const Params& params, const char* name) {
  const auto at = params.find(name);
  return at == params.end() ? "" : to_string(at->second);
}

SpanKind kind_of(GapCause cause) {
  if (cause == GapCause::cpu) return SpanKind::waits_for_cpu;
  return cause == GapCause::latency ? SpanKind::starts : SpanKind::waits_for_other;
}

// The lanes of one way: the CPU's calls, then the kernels with the gaps between them.
class WayLanes {
 public:
  WayLanes(LaunchedKernels& launched, const PipelineRecord& record, const std::string& group,
           std::vector<std::uint32_t>& ids)
      : launched_(launched), record_(record), group_(group), ids_(ids) {}

  void add() {
    add_calls();
    const std::vector<int> lanes = packed_lanes(launched_.nodes);
    const int count = lanes.empty() ? 0 : *std::max_element(lanes.begin(), lanes.end()) + 1;
    const std::vector<Gap> gaps = gaps_of(
        launched_.nodes, record_,
        &record_ == &launched_.graph ? graph_starts(launched_.costs) : stream_starts(launched_.costs));
    for (int lane = 0; lane < count; ++lane) add_lane(lanes, gaps, lane, count);
    add_edges(lanes);
  }

 private:
  void add_calls() {
    TimelineLane& cpu = launched_.timeline.add_lane(tr("CPU"), group_);
    calls_.assign(launched_.nodes.size(), 0);
    for (const ApiCall& call : record_.calls) {
      const bool waits = call.kind == ApiKind::synchronize;
      const std::uint32_t id = launched_.timeline.add(cpu, name_of(call.kind), call.start_ns, call.end_ns,
                                                      std::uint16_t(waits ? SpanKind::wait : SpanKind::call));
      if (call.kind == ApiKind::launch && call.node >= 0) calls_[std::size_t(call.node)] = id;
      if (call.kind == ApiKind::graph_launch) graph_call_ = id;
    }
  }
  void add_lane(const std::vector<int>& lanes, const std::vector<Gap>& gaps, int lane, int count) {
    const std::string name = count == 1 ? tr("GPU") : tr("GPU {0}", {std::string(1, char('A' + lane % 26))});
    TimelineLane& gpu = launched_.timeline.add_lane(name, group_);
    for (std::size_t i = 0; i < lanes.size(); ++i)
      if (lanes[i] == lane)
        ids_[i] = launched_.timeline.add(gpu, launched_.names[i], record_.kernels[i].start_ns,
                                         record_.kernels[i].end_ns,
                                         std::uint16_t(int(SpanKind::kernel) + launched_.colors[i]));
    for (const Gap& gap : gaps)
      if (gap.lane == lane)
        launched_.timeline.add(gpu, gap_name(gap.cause), gap.start_ns, gap.end_ns,
                               std::uint16_t(kind_of(gap.cause)));
  }
  void add_edges(const std::vector<int>& lanes) {
    for (std::size_t i = 0; i < launched_.nodes.size(); ++i) {
      for (const int before : launched_.nodes[i].after)
        if (lanes[std::size_t(before)] != lanes[i])
          launched_.timeline.edges.push_back({ids_[std::size_t(before)], ids_[i], 0});
      if (calls_[i]) launched_.timeline.edges.push_back({calls_[i], ids_[i], 1});
    }
    if (graph_call_ && !ids_.empty()) launched_.timeline.edges.push_back({graph_call_, ids_.front(), 1});
  }
  static std::string gap_name(GapCause cause) {
    if (cause == GapCause::cpu) return tr("waits for the CPU");
    return cause == GapCause::latency ? tr("launched, not yet started") : tr("waits for another lane");
  }

  LaunchedKernels& launched_;
  const PipelineRecord& record_;
  std::string group_;
  std::vector<std::uint32_t>& ids_;
  std::vector<std::uint32_t> calls_;
  std::uint32_t graph_call_ = 0;
};

void make_timeline(LaunchedKernels& launched) {
  launched.stream_ids.assign(launched.nodes.size(), 0), launched.graph_ids.assign(launched.nodes.size(), 0);
  if (launched.shown != Ways::graph) {
    const auto causes = idle_us_by_cause(launched.nodes, launched.stream, stream_starts(launched.costs));
    const double late = causes[std::size_t(GapCause::cpu)];
    const std::string total = us_text(launched.stream.total_us()), idle = us_text(idle_us(launched.stream));
    const std::string group =
        late > 0 ? tr("One by one: {0}, GPU idle {1} (late launches: {2})", {total, idle, us_text(late)})
                 : tr("One by one: {0}, GPU idle {1} (no launch comes late)", {total, idle});
    WayLanes(launched, launched.stream, group, launched.stream_ids).add();
  }
  if (launched.shown != Ways::stream) {
    const double times = launched.stream.total_us() / std::max(1e-9, launched.graph.total_us());
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", times);
    const std::string group =
        tr("As one graph: {0}, {1} times as fast, GPU idle {2}",
           {us_text(launched.graph.total_us()), text, us_text(idle_us(launched.graph))});
    WayLanes(launched, launched.graph, group, launched.graph_ids).add();
  }
  if (launched.shown == Ways::graph && !launched.capture.calls.empty()) {
    TimelineLane& cpu = launched.timeline.add_lane(
        tr("CPU"), tr("Before that, the capture: {0}. Calls are only noted down, no kernel runs",
                      {us_text(launched.capture.total_us())}));
    for (const ApiCall& call : launched.capture.calls)
      launched.timeline.add(cpu, name_of(call.kind), call.start_ns, call.end_ns,
                            std::uint16_t(SpanKind::call));
  }
  launched.timeline.nest();
}

// A node by the function that it runs, as it stands in the code: fork_join numbers its middle kernels by
// branch
// ("b2"), and decode calls its nodes by what they make.
std::string function_of(const std::string& node) {
  constexpr std::pair<std::string_view, std::string_view> kOfDecode[] = {
      {"norm 2", "norm"},       {"attn", "attend"},       {"qkv", "qkv product"},
      {"proj", "proj product"}, {"gate", "gate product"}, {"up", "up product"}};
  const bool of_branch =
      node.size() > 1 && node.front() == 'b' &&
      std::all_of(node.begin() + 1, node.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (of_branch) return "step";
  for (const auto& [name, shown] : kOfDecode)
    if (node == name) return std::string(shown);
  return node;
}

std::vector<int> colors_of(const std::vector<PipelineNode>& nodes) {
  std::map<std::string_view, int> seen;
  std::vector<int> colors;
  for (const PipelineNode& node : nodes)
    colors.push_back(seen.try_emplace(node.name, int(seen.size())).first->second % kKernelColors);
  return colors;
}

// The records of a GPU, or of the models where one is missing or damaged.
void take_records(LaunchedKernels& launched, const Run& run) {
  const std::size_t nodes = launched.nodes.size();
  const auto stream = record_of(run, "stream", nodes), graph = record_of(run, "graph", nodes);
  const auto costs = costs_of(run);
  const auto complete = [&](const auto& record) { return record && record->kernels.size() == nodes; };
  if (const auto* seen = run.evidence.find<PipelineEvidence>(); seen && !graph)
    launched.problem = seen->made.problem;
  launched.modelled = !(complete(stream) && costs && (complete(graph) || !launched.problem.empty()));
  if (launched.modelled) {
    const auto lengths = nominal_lengths(run.request.params, nodes);
    launched.costs = known_launch_costs();
    launched.stream = modelled_stream(launched.nodes, lengths, launched.costs, launched.each);
    launched.graph = modelled_graph(launched.nodes, lengths, launched.costs);
    launched.models = pipeline_models(launched.nodes, lengths, launched.costs);
    return;
  }
  launched.costs = *costs, launched.stream = *stream;
  if (!launched.problem.empty()) {
    launched.shown = Ways::stream;
    launched.models = pipeline_models(launched.nodes, lengths_of(launched.stream), launched.costs);
    return;
  }
  launched.graph = *graph;
  if (auto capture = record_of(run, "capture", nodes)) launched.capture = std::move(*capture);
  launched.models = pipeline_models(launched.nodes, lengths_of(launched.graph), launched.costs);
}

std::vector<int> order_of_starts(const PipelineRecord& record, std::size_t nodes) {
  std::vector<int> order(nodes);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return record.kernels[std::size_t(a)].start_ns < record.kernels[std::size_t(b)].start_ns;
  });
  return order;
}

}  // namespace

std::vector<std::string> kernel_names(const std::vector<PipelineNode>& nodes) {
  std::map<std::string, int> alike, seen;
  for (const PipelineNode& node : nodes) ++alike[function_of(node.name)];
  std::vector<std::string> names;
  for (const PipelineNode& node : nodes) {
    const std::string name = function_of(node.name);
    names.push_back(alike[name] > 1 ? name + " " + std::to_string(++seen[name]) : name);
  }
  return names;
}

std::optional<Pause> LaunchedKernels::pause_before(int node, bool in_graph) const {
  std::optional<Pause> pause;
  const PipelineRecord& record = in_graph ? graph : stream;
  for (const Gap& gap : gaps_of(nodes, record, in_graph ? graph_starts(costs) : stream_starts(costs))) {
    if (gap.node != node) continue;
    if (!pause) pause.emplace();
    const double us = double(gap.end_ns - gap.start_ns) / 1e3;
    pause->all += us;
    if (gap.cause == GapCause::cpu) pause->for_cpu += us;
    if (gap.cause == GapCause::dependency) pause->for_other += us;
  }
  return pause;
}

int LaunchedKernels::node_at(int step) const {
  return order.empty() ? 0 : order[std::size_t(std::clamp(step, 0, int(order.size()) - 1))];
}

int LaunchedKernels::step_of_node(int node) const {
  return int(std::find(order.begin(), order.end(), node) - order.begin());
}

LaunchedKernels launched_kernels(const Run& run) {
  LaunchedKernels launched;
  const Ladder* ladder = find_ladder(run.request.lab);
  const auto* pipeline = ladder ? plan_of<PipelinePlan>(*ladder) : nullptr;
  if (!pipeline) return launched;
  launched.nodes = pipeline->nodes(run.request.params, run.request.rung);
  launched.names = kernel_names(launched.nodes), launched.colors = colors_of(launched.nodes);
  launched.each = word(run.request.params, "sync") == "each";
  const std::string shown = word(run.request.params, "show");
  launched.shown = shown == "stream" ? Ways::stream : shown == "graph" ? Ways::graph : Ways::both;
  take_records(launched, run);
  launched.order = order_of_starts(launched.first(), launched.nodes.size());
  make_timeline(launched);
  return launched;
}

Color kernel_color(int index) {
  static constexpr Color kColors[kKernelColors] = {color::hbm, color::shared, color::registers,
                                                   color::l2,  color::tensor, color::l1};
  return kColors[std::size_t(index) % kKernelColors];
}

}  // namespace lockstep
