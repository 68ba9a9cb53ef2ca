#include "scene.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/recent.hpp"
#include "kernels/ladder.hpp"

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
  WayLanes(GraphsScene& scene, const PipelineRecord& record, const std::string& group,
           std::vector<std::uint32_t>& ids)
      : scene_(scene), record_(record), group_(group), ids_(ids) {}

  void add() {
    add_calls();
    const std::vector<int> lanes = packed_lanes(scene_.nodes);
    const int count = lanes.empty() ? 0 : *std::max_element(lanes.begin(), lanes.end()) + 1;
    const std::vector<Gap> gaps =
        gaps_of(scene_.nodes, record_,
                &record_ == &scene_.graph ? graph_starts(scene_.costs) : stream_starts(scene_.costs));
    for (int lane = 0; lane < count; ++lane) add_lane(lanes, gaps, lane, count);
    add_edges(lanes);
  }

 private:
  void add_calls() {
    TimelineLane& cpu = scene_.timeline.add_lane(tr("CPU"), group_);
    calls_.assign(scene_.nodes.size(), 0);
    for (const ApiCall& call : record_.calls) {
      const bool waits = call.kind == ApiKind::synchronize;
      const std::uint32_t id = scene_.timeline.add(cpu, name_of(call.kind), call.start_ns, call.end_ns,
                                                   std::uint16_t(waits ? SpanKind::wait : SpanKind::call));
      if (call.kind == ApiKind::launch && call.node >= 0) calls_[std::size_t(call.node)] = id;
      if (call.kind == ApiKind::graph_launch) graph_call_ = id;
    }
  }
  void add_lane(const std::vector<int>& lanes, const std::vector<Gap>& gaps, int lane, int count) {
    const std::string name = count == 1 ? tr("GPU") : tr("GPU {0}", {std::string(1, char('A' + lane % 26))});
    TimelineLane& gpu = scene_.timeline.add_lane(name, group_);
    for (std::size_t i = 0; i < lanes.size(); ++i)
      if (lanes[i] == lane)
        ids_[i] = scene_.timeline.add(gpu, scene_.nodes[i].name, record_.kernels[i].start_ns,
                                      record_.kernels[i].end_ns,
                                      std::uint16_t(int(SpanKind::kernel) + scene_.color_of(int(i))));
    for (const Gap& gap : gaps)
      if (gap.lane == lane)
        scene_.timeline.add(gpu, gap_name(gap.cause), gap.start_ns, gap.end_ns,
                            std::uint16_t(kind_of(gap.cause)));
  }
  void add_edges(const std::vector<int>& lanes) {
    for (std::size_t i = 0; i < scene_.nodes.size(); ++i) {
      for (const int before : scene_.nodes[i].after)
        if (lanes[std::size_t(before)] != lanes[i])
          scene_.timeline.edges.push_back({ids_[std::size_t(before)], ids_[i], 0});
      if (calls_[i]) scene_.timeline.edges.push_back({calls_[i], ids_[i], 1});
    }
    if (graph_call_ && !ids_.empty()) scene_.timeline.edges.push_back({graph_call_, ids_.front(), 1});
  }
  static std::string gap_name(GapCause cause) {
    if (cause == GapCause::cpu) return tr("waits for the CPU");
    return cause == GapCause::latency ? tr("launched, not yet started") : tr("waits for another lane");
  }

  GraphsScene& scene_;
  const PipelineRecord& record_;
  std::string group_;
  std::vector<std::uint32_t>& ids_;
  std::vector<std::uint32_t> calls_;
  std::uint32_t graph_call_ = 0;
};

void make_timeline(GraphsScene& scene) {
  scene.stream_ids.assign(scene.nodes.size(), 0), scene.graph_ids.assign(scene.nodes.size(), 0);
  if (scene.shown != Ways::graph) {
    const auto causes = idle_us_by_cause(scene.nodes, scene.stream, stream_starts(scene.costs));
    const double late = causes[std::size_t(GapCause::cpu)];
    const std::string total = us_text(scene.stream.total_us()), idle = us_text(idle_us(scene.stream));
    const std::string group =
        late > 0
            ? tr("Launched one by one: {0}. The GPU idle: {1}, of that {2} for want of a launch",
                 {total, idle, us_text(late)})
            : tr("Launched one by one: {0}. The GPU idle: {1}, never for want of a launch", {total, idle});
    WayLanes(scene, scene.stream, group, scene.stream_ids).add();
  }
  if (scene.shown != Ways::stream) {
    const double times = scene.stream.total_us() / std::max(1e-9, scene.graph.total_us());
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", times);
    const std::string group = tr("The same as one graph: {0}, {1} times as fast. The GPU idle: {2}",
                                 {us_text(scene.graph.total_us()), text, us_text(idle_us(scene.graph))});
    WayLanes(scene, scene.graph, group, scene.graph_ids).add();
  }
  if (scene.shown == Ways::graph && !scene.capture.calls.empty()) {
    TimelineLane& cpu = scene.timeline.add_lane(
        tr("CPU"), tr("The capture before it: {0}. The calls are noted, no kernel runs",
                      {us_text(scene.capture.total_us())}));
    for (const ApiCall& call : scene.capture.calls)
      scene.timeline.add(cpu, name_of(call.kind), call.start_ns, call.end_ns, std::uint16_t(SpanKind::call));
  }
  scene.timeline.nest();
}

std::vector<int> colors_of(const std::vector<PipelineNode>& nodes) {
  std::map<std::string_view, int> seen;
  std::vector<int> colors;
  for (const PipelineNode& node : nodes)
    colors.push_back(seen.try_emplace(node.name, int(seen.size())).first->second % kKernelColors);
  return colors;
}

std::shared_ptr<const GraphsScene> make_scene(const Run& run) {
  const Ladder* ladder = find_ladder(run.request.lab);
  if (!ladder || !ladder->nodes) return nullptr;
  auto made = std::make_shared<GraphsScene>();
  GraphsScene& scene = *made;
  scene.nodes = ladder->nodes(run.request.params, run.request.rung);
  scene.colors = colors_of(scene.nodes);
  scene.each = word(run.request.params, "sync") == "each";
  const std::string shown = word(run.request.params, "show");
  scene.shown = shown == "stream" ? Ways::stream : shown == "graph" ? Ways::graph : Ways::both;
  const auto stream = record_of(run, "stream", scene.nodes.size());
  const auto graph = record_of(run, "graph", scene.nodes.size());
  const auto costs = costs_of(run);
  const auto complete = [&](const auto& record) {
    return record && record->kernels.size() == scene.nodes.size();
  };
  if (const auto at = run.metrics.find("graph.problem"); at != run.metrics.end() && !graph)
    scene.problem = to_string(at->second);
  scene.modelled = !(complete(stream) && costs && (complete(graph) || !scene.problem.empty()));
  if (scene.modelled) {
    const auto lengths = nominal_lengths(run.request.params, scene.nodes.size());
    scene.costs = known_launch_costs();
    scene.stream = modelled_stream(scene.nodes, lengths, scene.costs, scene.each);
    scene.graph = modelled_graph(scene.nodes, lengths, scene.costs);
    scene.models = pipeline_models(scene.nodes, lengths, scene.costs);
  } else if (!scene.problem.empty()) {
    scene.costs = *costs, scene.stream = *stream, scene.shown = Ways::stream;
    scene.models = pipeline_models(scene.nodes, lengths_of(scene.stream), scene.costs);
  } else {
    scene.costs = *costs, scene.stream = *stream, scene.graph = *graph;
    if (auto capture = record_of(run, "capture", scene.nodes.size())) scene.capture = std::move(*capture);
    scene.models = pipeline_models(scene.nodes, lengths_of(scene.graph), scene.costs);
  }
  scene.order.resize(scene.nodes.size());
  std::iota(scene.order.begin(), scene.order.end(), 0);
  std::stable_sort(scene.order.begin(), scene.order.end(), [&](int a, int b) {
    return scene.first().kernels[std::size_t(a)].start_ns < scene.first().kernels[std::size_t(b)].start_ns;
  });
  make_timeline(scene);
  return made;
}

}  // namespace

int GraphsScene::node_at(int step) const {
  return order.empty() ? 0 : order[std::size_t(std::clamp(step, 0, int(order.size()) - 1))];
}

std::shared_ptr<const GraphsScene> graphs_scene(const Run& run) {
  struct Key {
    Params params;
    std::string rung, date, stream, graph;
    Language language;
    bool operator==(const Key&) const = default;
  };
  static Recent<Key, GraphsScene> recent;
  const auto text = [&](const char* name) {
    const auto at = run.metrics.find(name);
    return at == run.metrics.end() ? std::string() : to_string(at->second);
  };
  return recent.get({run.request.params, run.request.rung, run.date, text("stream.record"),
                     text("graph.record") + text("graph.problem"), language_in_use()},
                    [&] { return make_scene(run); });
}

Color kernel_color(int index) {
  static constexpr Color kColors[kKernelColors] = {color::hbm, color::shared, color::registers,
                                                   color::l2,  color::tensor, color::l1};
  return kColors[std::size_t(index) % kKernelColors];
}

std::string times_provenance(const Run& run, const GraphsScene& scene) {
  if (!scene.modelled) return std::string(provenance_of(run, "metrics.stream"));
  // How long the kernels of `decode` run, nobody has said: their lengths are assumed.
  return run.request.params.contains("kernel_us") ? kLaunchModelError : "modelled";
}

std::vector<CaptureRow> capture_rows(const Run& run) {
  struct Case {
    const char* slug;
    std::string what, way_out;
  };
  const Case cases[] = {
      {"growing_cache", tr("a cache that grows in place"), tr("its length stands in memory, too")},
      {"synchronize", tr("a wait inside the capture"), tr("nothing runs yet: wait behind the launch")},
      {"allocate", tr("cudaMalloc inside the capture"), tr("it may wait: cudaMallocAsync is a node")},
      {"branch", tr("a branch on data"), tr("the CPU sees no data yet: an IF node does")},
      {"loop", tr("rounds until it is enough"), tr("the CPU cannot know how many: a WHILE node")},
      {"lengths", tr("lengths that vary"), tr("another form: a graph per bucket, and padding")},
  };
  std::vector<CaptureRow> rows;
  for (const Case& c : cases) {
    CaptureRow row{c.what, "", "", "", false, false};
    const std::string key = std::string("cases.") + c.slug;
    const auto name = [&](const char* which) {
      const auto at = run.metrics.find(key + which);
      return at == run.metrics.end() ? std::string() : to_string(at->second);
    };
    const auto error = whole_metric(run, key + ".error"), way_out = whole_metric(run, key + ".way_out");
    if (error && way_out) {
      row.known = true, row.refused = *error != 0;
      row.answer = *error ? tr("error {0}", {std::to_string(*error)}) : tr("yes");
      row.error = *error ? name(".error_name") : "";
      row.detail = !*way_out ? c.way_out : tr("no way out here: {0}", {name(".way_out_name")});
      if (*way_out && name(".way_out_name") == "cudaErrorNotSupported")
        row.detail = tr("its node needs a driver of CUDA 12.4 or later");
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace lockstep
