#include "pipeline_evidence.hpp"

#include "figure_fields.hpp"

namespace lockstep {

const EvidenceKind PipelineEvidence::kind{"pipeline",
                                          {{"stream"},
                                           {"graph"},
                                           {"capture"},
                                           {"costs"},
                                           {"clock"},
                                           {"cases"},
                                           {"cupti"},
                                           {"models.serial_us", true},
                                           {"models.serial_error", true},
                                           {"models.asynchronous_us", true},
                                           {"models.asynchronous_error", true},
                                           {"models.graph_us", true},
                                           {"models.graph_error", true},
                                           {"models.break_even_us", true}},
                                          read_record<PipelineEvidence>,
                                          Beside::taken,
                                          true};

namespace {

constexpr FigureField<SpreadUs> kSpread[] = {
    {"_us", &SpreadUs::median}, {"_min_us", &SpreadUs::min}, {"_max_us", &SpreadUs::max}};
constexpr FigureField<WayEvidence> kWay[] = {{".gaps_us", &WayEvidence::gaps_us},
                                             {".gaps.cpu_us", &WayEvidence::gaps_cpu_us},
                                             {".gaps.latency_us", &WayEvidence::gaps_latency_us}};
constexpr FigureField<GraphEvidence> kGraph[] = {{"graph.memory_bytes", &GraphEvidence::memory_bytes}};
constexpr FigureField<CaptureCase> kCase[] = {{".error", &CaptureCase::error},
                                              {".error_name", &CaptureCase::error_name},
                                              {".way_out", &CaptureCase::way_out},
                                              {".way_out_name", &CaptureCase::way_out_name}};
constexpr FigureField<ProfilerEvidence> kProfiler[] = {
    {"cupti.clock_error_us", &ProfilerEvidence::clock_error_us},
    {"cupti.stream_gap_us", &ProfilerEvidence::stream_gap_us},
    {"cupti.graph_gap_us", &ProfilerEvidence::graph_gap_us},
    {"cupti.stamps_stream_gap_us", &ProfilerEvidence::stamps_stream_gap_us},
    {"cupti.stamps_graph_gap_us", &ProfilerEvidence::stamps_graph_gap_us}};
constexpr FigureField<ModelledPipeline> kModels[] = {
    {"models.serial_us", &ModelledPipeline::serial_us},
    {"models.asynchronous_us", &ModelledPipeline::asynchronous_us},
    {"models.graph_us", &ModelledPipeline::graph_us},
    {"models.break_even_us", &ModelledPipeline::break_even_us},
    {"models.serial_error", &ModelledPipeline::serial_error},
    {"models.asynchronous_error", &ModelledPipeline::asynchronous_error},
    {"models.graph_error", &ModelledPipeline::graph_error}};
constexpr FigureField<PipelineEvidence> kOthers[] = {
    {"clock.error_us", &PipelineEvidence::clock_error_us},
    {"capture.total_us", &PipelineEvidence::capture_total_us}};

std::optional<PipelineRecord> read_way_record(const Metrics& flat, const std::string& way) {
  const auto* text = figure<std::string>(flat, way + ".record");
  if (!text) return {};
  auto record = parse_pipeline_record(*text);
  return record ? std::optional(std::move(*record)) : std::nullopt;
}

WayEvidence read_way(const Metrics& flat, const std::string& way) {
  WayEvidence evidence;
  evidence.record = read_way_record(flat, way);
  read_fields(evidence, kWay, flat, way);
  read_fields(evidence.total, kSpread, flat, way + ".total");
  read_fields(evidence.loop, kSpread, flat, way + ".loop");
  return evidence;
}

GraphEvidence read_graph(const Metrics& flat) {
  GraphEvidence graph;
  if (const auto problem = flat.find("graph.problem"); problem != flat.end())
    graph.problem = to_string(problem->second);
  const auto spread = [&](const char* name, SpreadUs& to) {
    read_fields(to, kSpread, flat, std::string("graph.") + name);
  };
  spread("instantiate", graph.instantiate), spread("upload", graph.upload), spread("launch", graph.launch);
  spread("build", graph.build), spread("update", graph.update);
  spread("set_parameters", graph.set_parameters);
  read_fields(graph, kGraph, flat);
  return graph;
}

// "branch.error" is the case "branch".
std::map<std::string, CaptureCase> read_cases(const Metrics& flat) {
  std::map<std::string, CaptureCase> cases;
  for (const auto& [name, value] : figures_below(flat, "cases")) {
    const std::string slug = name.substr(0, name.rfind('.'));
    if (const auto [at, added] = cases.try_emplace(slug); added)
      read_fields(at->second, kCase, flat, "cases." + slug);
  }
  return cases;
}

ProfilerEvidence read_profiler(const Metrics& flat) {
  ProfilerEvidence profiler;
  profiler.problem = read_activity_problem(flat);
  read_fields(profiler, kProfiler, flat);
  read_fields(profiler.length_more, kSpread, flat, "cupti.length_more");
  read_fields(profiler.start_before, kSpread, flat, "cupti.start_before");
  read_fields(profiler.end_behind, kSpread, flat, "cupti.end_behind");
  return profiler;
}

}  // namespace

std::optional<PipelineEvidence> PipelineEvidence::read(const Metrics& flat) {
  PipelineEvidence pipeline;
  pipeline.stream = read_way(flat, "stream"), pipeline.graph = read_way(flat, "graph");
  pipeline.capture = read_way_record(flat, "capture");
  pipeline.made = read_graph(flat);
  pipeline.costs = read_costs(flat);
  read_fields(pipeline, kOthers, flat);
  pipeline.cases = read_cases(flat), pipeline.profiler = read_profiler(flat);
  read_fields(pipeline.models, kModels, flat);
  return pipeline;
}

}  // namespace lockstep
