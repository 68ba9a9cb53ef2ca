// What was seen of kernels that wait for one another, as streams and as a graph launched them, and what the
// models say of the same kernels.
#pragma once
#include <optional>

#include "activity.hpp"
#include "evidence.hpp"
#include "pipeline.hpp"

namespace lockstep {

// Medians with their ends, us.
struct SpreadUs {
  std::optional<double> median, min, max;
};

// One way of launching: what its recorded run says, and the totals of several.
struct WayEvidence {
  std::optional<PipelineRecord> record;  // of as many kernels as it names; nothing where the text is damaged
  std::optional<double> gaps_us, gaps_cpu_us, gaps_latency_us;
  SpreadUs total, loop;
};

struct GraphEvidence {
  std::string problem;  // why there is no graph of these kernels; "" where there is one
  SpreadUs instantiate, upload, launch, build, update, set_parameters;
  std::optional<double> memory_bytes;
};

// What became of a capture that meets something a graph cannot hold.
struct CaptureCase {
  std::optional<std::int64_t> error, way_out;  // CUDA's numbers; 0: none
  std::optional<std::string> error_name, way_out_name;
};

// A profiler's records of the same kernels beside their own stamps.
struct ProfilerEvidence {
  std::optional<ActivityProblem> problem;  // nothing where the profiler was not asked
  SpreadUs length_more, start_before, end_behind;
  std::optional<double> clock_error_us, stream_gap_us, graph_gap_us, stamps_stream_gap_us,
      stamps_graph_gap_us;
};

struct ModelledPipeline {
  std::optional<double> serial_us, asynchronous_us, graph_us, break_even_us;
  std::optional<double> serial_error, asynchronous_error, graph_error;  // shares of what was measured
};

struct PipelineEvidence {
  static const EvidenceKind
      kind;  // "stream.record", "graph.total_us", "costs.launch_us", "cases.branch.error", …
  static std::optional<PipelineEvidence> read(const Metrics& flat);
  WayEvidence stream, graph;
  std::optional<PipelineRecord> capture;
  std::optional<double> capture_total_us;
  GraphEvidence made;
  std::optional<LaunchCosts> costs;  // nothing where one is missing or not finite
  std::optional<double> clock_error_us;
  std::map<std::string, CaptureCase> cases;
  ProfilerEvidence profiler;
  ModelledPipeline models;
};

}  // namespace lockstep
