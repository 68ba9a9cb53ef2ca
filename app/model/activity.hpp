// A profiler's activity records of a pipeline's kernels beside the stamps that the kernels leave themselves:
// which record is whose, and what lies between the two sources. Both are of one run, which nobody times.
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pipeline.hpp"

namespace lockstep {

// One kernel as the profiler tells of it. Times in ns, on the axis of the stamps as far as the clocks are
// aligned.
struct ActivityKernel {
  std::string name;  // mangled; "" where it was not read
  std::int64_t start_ns = 0, end_ns = 0;
  std::uint32_t correlation = 0;  // of the call that launched it: one for all kernels of a graph
  std::uint64_t graph_node = 0;   // 0: not of a graph
  std::uint32_t stream = 0;
};

// One run under the profiler.
struct ActivityPass {
  std::vector<ActivityKernel> records;   // in any order
  std::vector<std::uint32_t> calls;      // correlation ids of the runtime calls that were made in it
  std::map<std::uint64_t, int> node_of;  // graph_node -> kernel, as far as that is known
  std::int64_t lost = 0;                 // records that found no room, or came without times
  PipelineRecord stamps;                 // the same run by the kernels' own stamps
};

// Why there are no records: a slug or the profiler's name of its error, with what the sentence needs.
struct ActivityProblem {
  std::string reason;  // "" = there is none
  std::string what, where;
  bool any() const { return !reason.empty(); }
  bool operator==(const ActivityProblem&) const = default;
};
// The profiler is not there, as opposed to there and not willing.
bool is_absent(const ActivityProblem& problem);
// What is wrong, and what to do about it.
Message message_of(const ActivityProblem& problem);

// Both ways of launching, and the cost that stays behind.
struct ActivityTrace {
  ActivityProblem problem;
  ActivityPass stream, graph;
  // Of the profiler's clock against the stamps', +-; infinite: not aligned.
  double clock_error_us = std::numeric_limits<double>::infinity();
  // The stream's plain loop once more with the profiler switched off again; 0: not measured.
  double loop_after_us = 0;
};

enum class ActivityWay : std::uint8_t { stream, graph };
// The kernels' times by the profiler in the order of the nodes: launches of a stream by the order of their
// correlation ids, nodes of a graph, all of one call, by node_of or else by the order of their ids. The
// problem says that records are missing, are of other calls, or run before what they wait for.
std::vector<KernelSpan> matched_records(const std::vector<PipelineNode>& nodes, const ActivityPass& pass,
                                        ActivityWay way, ActivityProblem& problem);

// As metrics: "cupti.status" (records, absent, refused), "cupti.message" and what it is made of, how many
// records were matched, and the constants between the sources in us: what the profiler's length has more, how
// much earlier it starts and later it ends (both only where the clocks are aligned), and the gaps between
// kernels of one lane by either source. "cupti.graph_matched": "by node", or "by order" of the nodes' ids.
std::map<std::string, Value> activity_metrics(const std::vector<PipelineNode>& nodes,
                                              const ActivityTrace& trace);
// The problem that a run's metrics tell of; nothing where they do not speak of the profiler.
std::optional<ActivityProblem> read_activity_problem(const Metrics& flat);
std::optional<ActivityProblem> activity_problem_of(const Run& run);

}  // namespace lockstep
