// Several kernels that wait for one another, as streams or a graph launch them: what was seen of a run of
// them, the gaps between them with their causes, and what two models say of the same kernels. Times of a
// record are ns on one axis; costs and totals are us.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "result.hpp"
#include "run.hpp"

namespace lockstep {

constexpr std::size_t kMostNodes = 4096;  // kernels of a pipeline

// One kernel of a pipeline. Kernels are in an order in which a single stream may run them.
struct PipelineNode {
  std::string name;        // "norm"
  int stream = 0;          // where a launch by streams puts it
  std::vector<int> after;  // the kernels that it waits for, all of them earlier
};

// What the CPU did: a call of the runtime.
enum class ApiKind : std::uint8_t {
  launch,
  record_event,
  wait_event,
  synchronize,
  graph_launch,
  begin_capture,
  end_capture,
  instantiate,
  upload,
  copy,
  copy_async,
  prefetch,
  synchronize_device,
};
constexpr int kApiKinds = 13;
const char* name_of(ApiKind kind);  // the runtime's name of it: "cudaLaunchKernel"

struct ApiCall {
  ApiKind kind = ApiKind::launch;
  int node = -1;  // the kernel that it is about; -1: all of them
  std::int64_t start_ns = 0, end_ns = 0;
  bool operator==(const ApiCall&) const = default;
};
struct KernelSpan {
  std::int64_t start_ns = 0, end_ns = 0;
  bool operator==(const KernelSpan&) const = default;
};
// One run of a pipeline: time 0 is the start of the first call; kernels in the order of the nodes, none where
// only calls were made (a capture).
struct PipelineRecord {
  std::vector<ApiCall> calls;
  std::vector<KernelSpan> kernels;
  // From the first call to the return of the last one, which waits for the GPU.
  double total_us() const;
  bool operator==(const PipelineRecord&) const = default;
};

// A record as one line of text, and back. Text may be a stranger's: the error says what is wrong with it.
std::string to_text(const PipelineRecord& record);
Result<PipelineRecord> parse_pipeline_record(std::string_view text, std::size_t nodes = kMostNodes);
// Whether it can be a record of so many kernels.
bool is_of(const PipelineRecord& record, std::size_t nodes);

// Kernels whose end another stream's kernel waits for: an event is recorded behind each.
std::vector<bool> needs_event(const std::vector<PipelineNode>& nodes);

// Lanes that hold the kernels without two at a time: a kernel stands behind the first of those that it waits
// for that no other kernel stands behind yet.
std::vector<int> packed_lanes(const std::vector<PipelineNode>& nodes);

// Why a lane stands still before a kernel: it waits for another lane's kernel; the CPU has not launched it
// yet; it is launched and has nothing to wait for, but the GPU takes its time to start it.
enum class GapCause : std::uint8_t { dependency, cpu, latency };
constexpr int kGapCauses = 3;
const char* name_of(GapCause cause);
struct Gap {
  int lane = 0, node = 0;  // the kernel that the lane waits for
  std::int64_t start_ns = 0, end_ns = 0;
  GapCause cause = GapCause::latency;
};
// How long the GPU takes from a kernel to the next one that is queued, and from a launch's call to the
// kernel.
struct StartTimes {
  double queued_us = 0, latency_us = 0;
};
// The gaps of all lanes, from the lane's first kernel to its last one. A kernel whose launch came too late
// for it to follow at once waited for the CPU as long as it takes more than a queued one: said so, both ends
// of a gap stand on the GPU's clock.
std::vector<Gap> gaps_of(const std::vector<PipelineNode>& nodes, const PipelineRecord& record,
                         StartTimes times);
// Time between the first kernel's start and the last one's end in which no kernel runs.
double idle_us(const PipelineRecord& record);
// The same, shared out among the causes: a gap counts where no kernel runs at all.
std::vector<double> idle_us_by_cause(const std::vector<PipelineNode>& nodes, const PipelineRecord& record,
                                     StartTimes times);

// --- models

// What calls and starts cost, each measured by itself (kernels/cuda/pipeline.hpp). us.
struct LaunchCosts {
  double launch = 0;         // CPU: a kernel launch, one after another
  double event = 0;          // CPU: recording an event and making a stream wait for it
  double latency = 0;        // from a launch call's end to the kernel's start on an idle GPU
  double stream_gap = 0;     // from a kernel's end to the start of the next one that is queued behind it
  double synchronize = 0;    // from the last kernel's end to the return of the call that waits for it
  double graph_launch = 0;   // CPU: cudaGraphLaunch of the pipeline
  double graph_latency = 0;  // from that call's end to the first kernel's start
  double node_gap = 0;       // from a node's end to the start of the one that waits for it
};

StartTimes stream_starts(const LaunchCosts& costs);
StartTimes graph_starts(const LaunchCosts& costs);

// Each kernel launched and waited for: sum of launch + latency + length + synchronize.
double serial_us(const std::vector<double>& lengths_us, const LaunchCosts& costs);
// Launches that run ahead of the kernels: the CPU makes its calls one after another, a kernel starts when it
// has been launched, its stream is free and what it waits for is done. `each`: the CPU waits after every
// kernel.
PipelineRecord modelled_stream(const std::vector<PipelineNode>& nodes, const std::vector<double>& lengths_us,
                               const LaunchCosts& costs, bool each = false);
PipelineRecord modelled_graph(const std::vector<PipelineNode>& nodes, const std::vector<double>& lengths_us,
                              const LaunchCosts& costs);
// Kernels shorter than this leave the GPU idle in a stream: the CPU takes longer to launch the next one.
double break_even_us(const LaunchCosts& costs);

struct PipelineModels {
  double serial_us = 0, asynchronous_us = 0, graph_us = 0, break_even_us = 0;
};
PipelineModels pipeline_models(const std::vector<PipelineNode>& nodes, const std::vector<double>& lengths_us,
                               const LaunchCosts& costs);

// --- as entries of a run's metrics

// "models.serial_us" and so on; with measured totals how far the model of this way of launching is from them,
// as a share: "models.serial_error" where the CPU waits after each kernel, else "models.asynchronous_error";
// and "models.graph_error".
std::map<std::string, Value> model_metrics(const PipelineModels& models, bool each,
                                           std::optional<double> stream_us, std::optional<double> graph_us);
// "costs.launch_us" and so on, and back; nothing where one is missing or not finite.
std::map<std::string, Value> cost_metrics(const LaunchCosts& costs);
std::optional<LaunchCosts> read_costs(const Metrics& flat);
std::optional<LaunchCosts> costs_of(const Run& run);
// "stream.total_us", "stream.gaps_us", "stream.gaps.cpu_us", "stream.record"; `way`: "stream", "graph".
std::map<std::string, Value> record_metrics(const std::string& way, const std::vector<PipelineNode>& nodes,
                                            const PipelineRecord& record, StartTimes times);
// The record of a way in a run; nothing where there is none or it is damaged.
std::optional<PipelineRecord> record_of(const Run& run, const std::string& way, std::size_t nodes);
// Launch costs of an H200 and its host, and how far the models are from the recorded runs with them
// (tests/engine_launching.cpp).
LaunchCosts known_launch_costs();
inline constexpr const char* kLaunchModelError = "modelled, error 3 %";

}  // namespace lockstep
