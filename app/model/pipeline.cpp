#include "pipeline.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pipeline_evidence.hpp"
#include "record_reader.hpp"

namespace lockstep {

const char* name_of(ApiKind kind) {
  static constexpr const char* kNames[kApiKinds] = {"cudaLaunchKernel",     "cudaEventRecord",
                                                    "cudaStreamWaitEvent",  "cudaStreamSynchronize",
                                                    "cudaGraphLaunch",      "cudaStreamBeginCapture",
                                                    "cudaStreamEndCapture", "cudaGraphInstantiate",
                                                    "cudaGraphUpload",      "cudaMemcpy",
                                                    "cudaMemcpyAsync",      "cudaMemPrefetchAsync",
                                                    "cudaDeviceSynchronize"};
  return kNames[int(kind)];
}
const char* name_of(GapCause cause) {
  static constexpr const char* kNames[kGapCauses] = {"dependency", "cpu", "latency"};
  return kNames[int(cause)];
}

double PipelineRecord::total_us() const {
  std::int64_t last = 0;
  for (const ApiCall& call : calls) last = std::max(last, call.end_ns);
  for (const KernelSpan& kernel : kernels) last = std::max(last, kernel.end_ns);
  return double(last) / 1e3;
}

// --- text: calls as "kind node start length," then ';', kernels as "start length,". Starts are counted from
// the start of the entry before, which keeps a thousand kernels short.

std::string to_text(const PipelineRecord& record) {
  std::string text;
  std::int64_t before = 0;
  const auto number = [&](std::int64_t x, char end) { text += std::to_string(x) + end; };
  for (const ApiCall& call : record.calls) {
    number(std::int64_t(call.kind), ' '), number(call.node, ' ');
    number(call.start_ns - before, ' '), number(call.end_ns - call.start_ns, ',');
    before = call.start_ns;
  }
  text += ';';
  before = 0;
  for (const KernelSpan& kernel : record.kernels) {
    number(kernel.start_ns - before, ' '), number(kernel.end_ns - kernel.start_ns, ',');
    before = kernel.start_ns;
  }
  return text;
}

namespace {

constexpr std::int64_t kLongestCall_ns = std::int64_t{3600} * 1000 * 1000 * 1000;  // an hour

}  // namespace

// A kernel takes at most a launch, two calls for its event and a wait each.
static std::size_t most_calls(std::size_t nodes) { return 16 * nodes + 16; }

Result<PipelineRecord> parse_pipeline_record(std::string_view text, std::size_t nodes) {
  PipelineRecord record;
  RecordReader reader(text);
  const auto damaged = [] {
    return bad_input("the record of the kernels' times is damaged; run or record it again", {});
  };
  std::int64_t before = 0;
  while (reader.ok() && !reader.at(';')) {
    ApiCall call;
    call.kind = ApiKind(reader.number(0, kApiKinds - 1, ' '));
    call.node = int(reader.number(-1, std::int64_t(nodes) - 1, ' '));
    call.start_ns = before + reader.number(0, kLongestCall_ns, ' ');
    call.end_ns = call.start_ns + reader.number(0, kLongestCall_ns, ',');
    before = call.start_ns;
    if (!reader.ok() || record.calls.size() == most_calls(nodes) || before > kLongestCall_ns)
      return damaged();
    record.calls.push_back(call);
  }
  if (!reader.take(';')) return damaged();
  before = 0;
  while (reader.ok() && !reader.done()) {
    KernelSpan kernel;
    kernel.start_ns = before + reader.number(-kLongestCall_ns, kLongestCall_ns, ' ');
    kernel.end_ns = kernel.start_ns + reader.number(0, kLongestCall_ns, ',');
    before = kernel.start_ns;
    if (!reader.ok() || record.kernels.size() == nodes || std::abs(before) > kLongestCall_ns)
      return damaged();
    record.kernels.push_back(kernel);
  }
  if (!reader.ok() || (nodes != kMostNodes && !is_of(record, nodes))) return damaged();
  return record;
}

bool is_of(const PipelineRecord& record, std::size_t nodes) {
  const bool known = std::all_of(record.calls.begin(), record.calls.end(),
                                 [&](const ApiCall& call) { return call.node < std::int64_t(nodes); });
  return known && record.calls.size() <= most_calls(nodes) &&
         (record.kernels.empty() || record.kernels.size() == nodes);
}

// --- lanes and gaps
// ------------------------------------------------------------------------------------------

std::vector<bool> needs_event(const std::vector<PipelineNode>& nodes) {
  std::vector<bool> needed(nodes.size(), false);
  for (const PipelineNode& node : nodes)
    for (const int before : node.after)
      if (nodes[std::size_t(before)].stream != node.stream) needed[std::size_t(before)] = true;
  return needed;
}

std::vector<int> packed_lanes(const std::vector<PipelineNode>& nodes) {
  std::vector<int> lanes(nodes.size());
  std::vector<bool> continued(nodes.size(), false);
  int count = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto& after = nodes[i].after;
    const auto free =
        std::find_if(after.begin(), after.end(), [&](int b) { return !continued[std::size_t(b)]; });
    if (free == after.end()) {
      lanes[i] = count++;
      continue;
    }
    continued[std::size_t(*free)] = true;
    lanes[i] = lanes[std::size_t(*free)];
  }
  return lanes;
}

namespace {

// When each kernel has been launched: the end of its call, or of the graph's.
std::vector<std::int64_t> launch_times(const PipelineRecord& record) {
  std::vector<std::int64_t> times(record.kernels.size(), 0);
  for (const ApiCall& call : record.calls)
    if (call.kind == ApiKind::graph_launch)
      times.assign(times.size(), call.end_ns);
    else if (call.kind == ApiKind::launch && call.node >= 0 && std::size_t(call.node) < times.size())
      times[std::size_t(call.node)] = call.end_ns;
  return times;
}

using Spans = std::vector<KernelSpan>;

// Spans as a set: sorted, overlaps joined.
Spans joined(Spans spans) {
  std::sort(spans.begin(), spans.end(),
            [](const KernelSpan& a, const KernelSpan& b) { return a.start_ns < b.start_ns; });
  Spans all;
  for (const KernelSpan& span : spans)
    if (!all.empty() && span.start_ns <= all.back().end_ns)
      all.back().end_ns = std::max(all.back().end_ns, span.end_ns);
    else
      all.push_back(span);
  return all;
}

}  // namespace

namespace {

// When the wait for the CPU ends, of a kernel that starts at `start` and could have followed what ended at
// `from`: `from` where it was launched in time.
std::int64_t cpu_until(std::int64_t from, std::int64_t start, std::int64_t launched, StartTimes times) {
  const auto in_ns = [](double us) { return std::int64_t(std::llround(us * 1e3)); };
  const bool late = launched + in_ns(times.latency_us) > from;
  return late ? std::max(from, start - in_ns(times.queued_us)) : from;
}

}  // namespace

std::vector<Gap> gaps_of(const std::vector<PipelineNode>& nodes, const PipelineRecord& record,
                         StartTimes times) {
  std::vector<Gap> gaps;
  const std::vector<int> lanes = packed_lanes(nodes);
  const std::vector<std::int64_t> launched = launch_times(record);
  std::vector<int> last(nodes.size(), -1);  // of each lane
  for (std::size_t i = 0; i < nodes.size() && i < record.kernels.size(); ++i) {
    int& before = last[std::size_t(lanes[i])];
    const int previous = std::exchange(before, int(i));
    if (previous < 0) continue;
    std::int64_t at = record.kernels[std::size_t(previous)].end_ns;
    const std::int64_t start = record.kernels[i].start_ns;
    const auto until = [&](std::int64_t time, GapCause cause) {
      time = std::min(time, start);
      if (time <= at) return;
      gaps.push_back({lanes[i], int(i), at, time, cause});
      at = time;
    };
    std::int64_t ready = 0;
    for (const int b : nodes[i].after) ready = std::max(ready, record.kernels[std::size_t(b)].end_ns);
    until(ready, GapCause::dependency);
    until(cpu_until(at, start, launched[i], times), GapCause::cpu);
    until(start, GapCause::latency);
  }
  return gaps;
}

double idle_us(const PipelineRecord& record) {
  const Spans busy = joined(record.kernels);
  std::int64_t idle = 0;
  for (std::size_t i = 1; i < busy.size(); ++i) idle += busy[i].start_ns - busy[i - 1].end_ns;
  return double(idle) / 1e3;
}

std::vector<double> idle_us_by_cause(const std::vector<PipelineNode>& nodes, const PipelineRecord& record,
                                     StartTimes times) {
  std::vector<double> shares(kGapCauses, 0);
  const Spans busy = joined(record.kernels);
  const std::vector<std::int64_t> launched = launch_times(record);
  // Which kernel ends a pause of the whole GPU says why it was there.
  for (std::size_t i = 1; i < busy.size(); ++i) {
    const std::int64_t from = busy[i - 1].end_ns, to = busy[i].start_ns;
    for (std::size_t k = 0; k < record.kernels.size() && k < nodes.size(); ++k)
      if (record.kernels[k].start_ns == to) {
        const std::int64_t ready = cpu_until(from, to, launched[k], times);
        shares[std::size_t(GapCause::cpu)] += double(ready - from) / 1e3;
        shares[std::size_t(GapCause::latency)] += double(to - ready) / 1e3;
        break;
      }
  }
  return shares;
}

// --- models
// --------------------------------------------------------------------------------------------------

StartTimes stream_starts(const LaunchCosts& costs) { return {costs.stream_gap, costs.latency}; }
StartTimes graph_starts(const LaunchCosts& costs) { return {costs.node_gap, costs.graph_latency}; }

double serial_us(const std::vector<double>& lengths_us, const LaunchCosts& costs) {
  double total = 0;
  for (const double length : lengths_us) total += costs.launch + costs.latency + length + costs.synchronize;
  return total;
}

namespace {

std::int64_t ns(double us) { return std::int64_t(std::llround(us * 1e3)); }

// The CPU's side: one call after another.
class Calls {
 public:
  explicit Calls(PipelineRecord& record) : record_(record) {}
  std::int64_t now() const { return at_; }
  void make(ApiKind kind, int node, double us) { until(kind, node, at_ + ns(us)); }
  void until(ApiKind kind, int node, std::int64_t end) {
    record_.calls.push_back({kind, node, at_, std::max(at_, end)});
    at_ = std::max(at_, end);
  }

 private:
  PipelineRecord& record_;
  std::int64_t at_ = 0;
};

std::int64_t last_end(const PipelineRecord& record) {
  std::int64_t last = 0;
  for (const KernelSpan& kernel : record.kernels) last = std::max(last, kernel.end_ns);
  return last;
}

}  // namespace

PipelineRecord modelled_stream(const std::vector<PipelineNode>& nodes, const std::vector<double>& lengths_us,
                               const LaunchCosts& costs, bool each) {
  PipelineRecord record;
  Calls cpu(record);
  int streams = 1;
  for (const PipelineNode& node : nodes) streams = std::max(streams, node.stream + 1);
  const std::vector<bool> event_behind = needs_event(nodes);
  std::vector<std::int64_t> free(std::size_t(streams), -1);  // end of the stream's last kernel
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const PipelineNode& node = nodes[i];
    std::int64_t ready = free[std::size_t(node.stream)];
    for (const int before : node.after) {
      ready = std::max(ready, record.kernels[std::size_t(before)].end_ns);
      if (nodes[std::size_t(before)].stream != node.stream)
        cpu.make(ApiKind::wait_event, int(i), costs.event / 2);
    }
    cpu.make(ApiKind::launch, int(i), costs.launch);
    const std::int64_t arrived = cpu.now() + ns(costs.latency);
    if (event_behind[i]) cpu.make(ApiKind::record_event, int(i), costs.event / 2);
    const std::int64_t start = ready < 0 ? arrived : std::max(arrived, ready + ns(costs.stream_gap));
    record.kernels.push_back({start, start + ns(lengths_us[i])});
    free[std::size_t(node.stream)] = record.kernels.back().end_ns;
    if (each) cpu.until(ApiKind::synchronize, int(i), record.kernels.back().end_ns + ns(costs.synchronize));
  }
  if (!each && !nodes.empty()) cpu.until(ApiKind::synchronize, -1, last_end(record) + ns(costs.synchronize));
  return record;
}

PipelineRecord modelled_graph(const std::vector<PipelineNode>& nodes, const std::vector<double>& lengths_us,
                              const LaunchCosts& costs) {
  PipelineRecord record;
  Calls cpu(record);
  cpu.make(ApiKind::graph_launch, -1, costs.graph_launch);
  const std::int64_t arrived = cpu.now() + ns(costs.graph_latency);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::int64_t start = arrived;
    for (const int before : nodes[i].after)
      start = std::max(start, record.kernels[std::size_t(before)].end_ns + ns(costs.node_gap));
    record.kernels.push_back({start, start + ns(lengths_us[i])});
  }
  cpu.until(ApiKind::synchronize, -1, last_end(record) + ns(costs.synchronize));
  return record;
}

double break_even_us(const LaunchCosts& costs) { return std::max(0.0, costs.launch - costs.stream_gap); }

PipelineModels pipeline_models(const std::vector<PipelineNode>& nodes, const std::vector<double>& lengths_us,
                               const LaunchCosts& costs) {
  return {serial_us(lengths_us, costs), modelled_stream(nodes, lengths_us, costs).total_us(),
          modelled_graph(nodes, lengths_us, costs).total_us(), break_even_us(costs)};
}

// --- metrics
// -------------------------------------------------------------------------------------------------

std::map<std::string, Value> model_metrics(const PipelineModels& models, bool each,
                                           std::optional<double> stream_us, std::optional<double> graph_us) {
  std::map<std::string, Value> all{{"models.serial_us", models.serial_us},
                                   {"models.asynchronous_us", models.asynchronous_us},
                                   {"models.graph_us", models.graph_us},
                                   {"models.break_even_us", models.break_even_us}};
  const auto error = [&](const char* name, double model, std::optional<double> measured) {
    if (measured && *measured > 0) all[name] = model / *measured - 1;
  };
  if (each)
    error("models.serial_error", models.serial_us, stream_us);
  else
    error("models.asynchronous_error", models.asynchronous_us, stream_us);
  error("models.graph_error", models.graph_us, graph_us);
  return all;
}

namespace {

struct CostField {
  const char* name;
  double LaunchCosts::*member;
};
constexpr CostField kCostFields[] = {
    {"launch_us", &LaunchCosts::launch},
    {"event_us", &LaunchCosts::event},
    {"latency_us", &LaunchCosts::latency},
    {"stream_gap_us", &LaunchCosts::stream_gap},
    {"synchronize_us", &LaunchCosts::synchronize},
    {"graph_launch_us", &LaunchCosts::graph_launch},
    {"graph_latency_us", &LaunchCosts::graph_latency},
    {"node_gap_us", &LaunchCosts::node_gap},
};
constexpr double kMostCost_us = 1e6;

}  // namespace

std::map<std::string, Value> cost_metrics(const LaunchCosts& costs) {
  std::map<std::string, Value> all;
  for (const CostField& field : kCostFields) all[std::string("costs.") + field.name] = costs.*field.member;
  return all;
}

std::optional<LaunchCosts> read_costs(const Metrics& flat) {
  LaunchCosts costs;
  for (const CostField& field : kCostFields) {
    const auto value = finite_figure(flat, std::string("costs.") + field.name);
    if (!value || std::abs(*value) > kMostCost_us) return {};
    costs.*field.member = *value;
  }
  return costs;
}

std::optional<LaunchCosts> costs_of(const Run& run) {
  const auto* pipeline = run.evidence.find<PipelineEvidence>();
  return pipeline ? pipeline->costs : std::nullopt;
}

std::map<std::string, Value> record_metrics(const std::string& way, const std::vector<PipelineNode>& nodes,
                                            const PipelineRecord& record, StartTimes times) {
  const auto causes = idle_us_by_cause(nodes, record, times);
  return {{way + ".total_us", record.total_us()},
          {way + ".gaps_us", idle_us(record)},
          {way + ".gaps.cpu_us", causes[std::size_t(GapCause::cpu)]},
          {way + ".gaps.latency_us", causes[std::size_t(GapCause::latency)]},
          {way + ".record", to_text(record)}};
}

std::optional<PipelineRecord> record_of(const Run& run, const std::string& way, std::size_t nodes) {
  const auto* pipeline = run.evidence.find<PipelineEvidence>();
  if (!pipeline) return {};
  const auto& record = way == "stream"  ? pipeline->stream.record
                       : way == "graph" ? pipeline->graph.record
                                        : pipeline->capture;
  return record && is_of(*record, nodes) ? record : std::nullopt;
}

// Medians over 93 runs on an H200 (CUDA 13.0, driver 580.159.04, 2026-11-22; the recordings of the lab
// graphs). The CPU's share differs from host to host and from minute to minute: a launch took 3.1 to 4.8 us
// there, and 3.7 to 5.8 us on another H200's host.
LaunchCosts known_launch_costs() {
  LaunchCosts costs;
  costs.launch = 3.88, costs.event = 0.48, costs.latency = 2.79, costs.synchronize = 2.65;
  costs.stream_gap = 1.63, costs.graph_launch = 2.11, costs.graph_latency = 2.64, costs.node_gap = 0.83;
  return costs;
}

}  // namespace lockstep
