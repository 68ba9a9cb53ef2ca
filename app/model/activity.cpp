#include "activity.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "pipeline_evidence.hpp"

namespace lockstep {
namespace {

// By reason. {0} is ActivityProblem::what, {1} is where; what does not fit stands in the metrics alone.
struct Sentence {
  const char* reason;
  bool absent;
  const char* text;
};
constexpr Sentence kSentences[] = {
    {"no_headers", true,
     N_("This build cannot read CUPTI's records: its CUDA toolkit came without cupti.h. Install the "
        "toolkit's CUPTI and build again.")},
    {"no_library", true, N_("{0} was not found: install CUDA's CUPTI, or name its file in LOCKSTEP_CUPTI.")},
    {"named_library", true,
     N_("LOCKSTEP_CUPTI names {0}, which cannot be loaded: name CUPTI's file there, or unset it.")},
    {"no_symbol", true,
     N_("{1} has no {0}: it is another version than this program knows. Name CUPTI's file in "
        "LOCKSTEP_CUPTI.")},
    {"other_version", true,
     N_("{0} is of another CUDA version than this program was built with. Name the right one in "
        "LOCKSTEP_CUPTI.")},
    {"CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", false,
     N_("The driver lets only administrators profile ({0} from {1}): load the kernel module nvidia with "
        "NVreg_RestrictProfilingToAdminUsers=0, or run as root.")},
    {"CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED", false,
     N_("Another profiler or debugger is attached to this process ({0} from {1}): run without it.")},
    {"run", false, N_("The run under the profiler failed: {0}. Everything else was measured without it.")},
    {"lost", false,
     N_("The profiler reported only {1} of {0} kernels, so its records are left out. Run again with fewer "
        "kernels.")},
    {"unmatched", false,
     N_("The profiler's records do not match the kernels and are left out. Name the CUPTI of this program's "
        "CUDA version in LOCKSTEP_CUPTI.")},
};
constexpr const char* kOtherError = N_("CUPTI refused: {0} from {1}.");

const Sentence* sentence_of(const std::string& reason) {
  for (const Sentence& sentence : kSentences)
    if (reason == sentence.reason) return &sentence;
  return nullptr;
}

}  // namespace

bool is_absent(const ActivityProblem& problem) {
  const Sentence* sentence = sentence_of(problem.reason);
  return sentence && sentence->absent;
}

Message message_of(const ActivityProblem& problem) {
  const Sentence* sentence = sentence_of(problem.reason);
  return {sentence ? sentence->text : kOtherError, {problem.what, problem.where}};
}

// --- which record is whose

namespace {

// The clocks of a GPU's units differ by less: a kernel that waits for another starts later than this before
// the other's end.
constexpr std::int64_t kOrderTolerance_ns = 1000;

template <class Key>
bool distinct(const std::vector<ActivityKernel>& records, Key&& key) {
  std::set<std::uint64_t> seen;
  for (const ActivityKernel& record : records)
    if (!seen.insert(key(record)).second) return false;
  return true;
}

template <class Key>
void sort_by(std::vector<ActivityKernel>& records, Key&& key) {
  std::sort(records.begin(), records.end(),
            [&](const ActivityKernel& a, const ActivityKernel& b) { return key(a) < key(b); });
}

// Each record's kernel; false where one is not known or two are the same.
bool sort_by_node(std::vector<ActivityKernel>& records, const std::map<std::uint64_t, int>& node_of) {
  std::vector<ActivityKernel> sorted(records.size());
  std::vector<bool> taken(records.size(), false);
  for (const ActivityKernel& record : records) {
    const auto known = node_of.find(record.graph_node);
    if (known == node_of.end() || known->second < 0 || std::size_t(known->second) >= records.size())
      return false;
    const auto at = std::size_t(known->second);
    if (taken[at]) return false;
    taken[at] = true, sorted[at] = record;
  }
  records = std::move(sorted);
  return true;
}

bool in_order(const std::vector<PipelineNode>& nodes, const std::vector<ActivityKernel>& records) {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const int before : nodes[i].after)
      if (records[i].start_ns + kOrderTolerance_ns < records[std::size_t(before)].end_ns) return false;
  return true;
}

}  // namespace

std::vector<KernelSpan> matched_records(const std::vector<PipelineNode>& nodes, const ActivityPass& pass,
                                        ActivityWay way, ActivityProblem& problem) {
  const bool graph = way == ActivityWay::graph;
  const auto correlation = [](const ActivityKernel& r) { return std::uint64_t{r.correlation}; };
  const auto node_id = [](const ActivityKernel& r) { return r.graph_node; };
  const auto does_not_fit = [&](const char* why) {
    problem = {"unmatched", why, ""};
    return std::vector<KernelSpan>{};
  };
  const std::set<std::uint32_t> calls(pass.calls.begin(), pass.calls.end());
  std::vector<ActivityKernel> records;
  for (const ActivityKernel& record : pass.records)
    if ((record.graph_node != 0) == graph && calls.contains(record.correlation)) records.push_back(record);
  if (records.size() < nodes.size()) {
    problem = {"lost", std::to_string(nodes.size()), std::to_string(records.size())};
    return {};
  }
  if (records.size() > nodes.size()) return does_not_fit("there are too many");
  if (graph) {
    for (const ActivityKernel& record : records)
      if (record.correlation != records.front().correlation) return does_not_fit("several graph launches");
    if (!distinct(records, node_id)) return does_not_fit("a node came twice");
    if (!sort_by_node(records, pass.node_of)) sort_by(records, node_id);
  } else {
    if (!distinct(records, correlation)) return does_not_fit("a launch came twice");
    sort_by(records, correlation);
  }
  if (!in_order(nodes, records)) return does_not_fit("a kernel starts before what it waits for has ended");
  std::vector<KernelSpan> spans;
  for (const ActivityKernel& record : records) spans.push_back({record.start_ns, record.end_ns});
  return spans;
}

// --- what lies between the sources

namespace {

using Metrics = std::map<std::string, Value>;

double median_of(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(values.size() / 2), values.end());
  return values[values.size() / 2];
}

void add_spread(Metrics& all, const std::string& name, const std::vector<double>& values) {
  if (values.empty()) return;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  all[name + "_us"] = median_of(values);
  all[name + "_min_us"] = *least, all[name + "_max_us"] = *most;
}

// Median, us, from a kernel's end to the start of the next one of its lane.
void add_gap(Metrics& all, const std::string& name, const std::vector<PipelineNode>& nodes,
             const std::vector<KernelSpan>& spans) {
  const std::vector<int> lanes = packed_lanes(nodes);
  std::map<int, std::size_t> last;
  std::vector<double> gaps;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (const auto before = last.find(lanes[i]); before != last.end())
      gaps.push_back(double(spans[i].start_ns - spans[before->second].end_ns) / 1e3);
    last[lanes[i]] = i;
  }
  if (!gaps.empty()) all[name] = median_of(gaps);
}

struct Differences {
  std::vector<double> longer, earlier, later;  // us, the profiler's against the stamps'
  void add(const KernelSpan& told, const KernelSpan& stamped) {
    const auto us = [](std::int64_t ns) { return double(ns) / 1e3; };
    longer.push_back(us((told.end_ns - told.start_ns) - (stamped.end_ns - stamped.start_ns)));
    earlier.push_back(us(stamped.start_ns - told.start_ns));
    later.push_back(us(told.end_ns - stamped.end_ns));
  }
};

bool names_known(const ActivityPass& pass) {
  return std::all_of(pass.records.begin(), pass.records.end(), [&](const ActivityKernel& record) {
    return record.graph_node == 0 || pass.node_of.contains(record.graph_node);
  });
}

void add_pass(Metrics& all, Differences& both, ActivityProblem& problem,
              const std::vector<PipelineNode>& nodes, const ActivityPass& pass, ActivityWay way) {
  if (nodes.empty() || pass.stamps.kernels.size() != nodes.size()) return;  // it was not run
  const std::string name = way == ActivityWay::graph ? "graph" : "stream";
  ActivityProblem mismatch;
  const std::vector<KernelSpan> told = matched_records(nodes, pass, way, mismatch);
  if (mismatch.any() && !problem.any()) problem = mismatch;
  all["cupti." + name + "_kernels"] = std::int64_t(told.size());
  if (pass.lost) all["cupti." + name + "_lost"] = pass.lost;
  if (told.empty()) return;
  if (way == ActivityWay::graph)
    all["cupti.graph_matched"] = std::string(names_known(pass) ? "by node" : "by order");
  Differences own;
  for (std::size_t i = 0; i < told.size(); ++i)
    for (Differences* into : {&own, &both}) into->add(told[i], pass.stamps.kernels[i]);
  all["cupti." + name + "_length_more_us"] = median_of(own.longer);
  add_gap(all, "cupti." + name + "_gap_us", nodes, told);
  add_gap(all, "cupti.stamps_" + name + "_gap_us", nodes, pass.stamps.kernels);
}

}  // namespace

std::map<std::string, Value> activity_metrics(const std::vector<PipelineNode>& nodes,
                                              const ActivityTrace& trace) {
  Metrics all;
  ActivityProblem problem = trace.problem;
  Differences both;
  add_pass(all, both, problem, nodes, trace.stream, ActivityWay::stream);
  add_pass(all, both, problem, nodes, trace.graph, ActivityWay::graph);
  add_spread(all, "cupti.length_more", both.longer);
  if (!both.longer.empty() && std::isfinite(trace.clock_error_us)) {
    add_spread(all, "cupti.start_before", both.earlier);
    add_spread(all, "cupti.end_behind", both.later);
    all["cupti.clock_error_us"] = trace.clock_error_us;
  }
  if (trace.loop_after_us > 0) all["cupti.stream_loop_after_us"] = trace.loop_after_us;
  const char* none = is_absent(problem) ? "absent" : "refused";
  all["cupti.status"] = std::string(both.longer.empty() ? none : "records");
  if (problem.any()) {
    all["cupti.message"] = message_of(problem).text();
    all["cupti.reason"] = problem.reason;
    if (!problem.what.empty()) all["cupti.what"] = problem.what;
    if (!problem.where.empty()) all["cupti.where"] = problem.where;
  }
  return all;
}

std::optional<ActivityProblem> read_activity_problem(const Metrics& flat) {
  const auto text = [&](const char* name) {
    const auto* value = figure<std::string>(flat, name);
    return value ? *value : std::string();
  };
  if (text("cupti.status").empty()) return {};
  return ActivityProblem{text("cupti.reason"), text("cupti.what"), text("cupti.where")};
}

std::optional<ActivityProblem> activity_problem_of(const Run& run) {
  const auto* pipeline = run.evidence.find<PipelineEvidence>();
  return pipeline ? pipeline->profiler.problem : std::nullopt;
}

}  // namespace lockstep
