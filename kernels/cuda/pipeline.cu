#include "kernels/cuda/pipeline.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>

#include "kernels/cuda/capture_cases.hpp"
#include "kernels/cuda/clocks.cuh"
#include "kernels/cuda/cupti_activity.hpp"
#include "kernels/cuda/gpu.hpp"

namespace lockstep::cuda {

const char* name_of(Way way) {
  static constexpr const char* kNames[kWays] = {"stream", "graph", "built", "updated"};
  return kNames[int(way)];
}

namespace {

// The first error of a row of calls, with the call's name.
class Errors {
 public:
  bool operator()(cudaError_t error, const char* call) {
    if (error != cudaSuccess && text_.empty())
      text_ = std::string(call) + ": " + cudaGetErrorName(error) + ", " + cudaGetErrorString(error);
    return error == cudaSuccess;
  }
  void say(const std::string& text) {
    if (text_.empty()) text_ = text;
  }
  bool any() const { return !text_.empty(); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

dim3 dims(lab::Extents e) { return dim3(unsigned(e.x), unsigned(e.y), unsigned(e.z)); }

std::vector<void*> argument_pointers(const lab::KernelNode& kernel) {
  std::vector<void*> pointers;
  for (const auto& argument : kernel.arguments)
    pointers.push_back(const_cast<std::uint8_t*>(argument.data()));
  return pointers;
}

cudaKernelNodeParams node_parameters(const lab::KernelNode& kernel, std::vector<void*>& arguments) {
  cudaKernelNodeParams p{};
  p.func = const_cast<void*>(kernel.kernel);
  p.gridDim = dims(kernel.grid), p.blockDim = dims(kernel.block);
  p.sharedMemBytes = unsigned(kernel.dynamic_shared_bytes);
  p.kernelParams = arguments.data();
  return p;
}

struct GraphDeleter {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
  void operator()(cudaGraphExec_t exec) const { cudaGraphExecDestroy(exec); }
};
using Graph = std::unique_ptr<CUgraph_st, GraphDeleter>;
using Exec = std::unique_ptr<CUgraphExec_st, GraphDeleter>;

// Streams and events for one pipeline, and the calls that a program would make, with or without a look at the
// clock around each.
class Pipeline {
 public:
  Pipeline(const std::vector<PipelineNode>& nodes, const std::vector<lab::KernelNode>& kernels,
           Errors& errors)
      : nodes_(nodes), kernels_(kernels), errors_(errors), event_behind_(needs_event(nodes)) {
    int streams = 1;
    for (const PipelineNode& node : nodes) streams = std::max(streams, node.stream + 1);
    streams_.resize(std::size_t(streams));
    for (auto& stream : streams_)
      errors_(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    events_.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (event_behind_[i])
        errors_(cudaEventCreateWithFlags(&events_[i], cudaEventDisableTiming), "cudaEventCreateWithFlags");
    for (const auto& kernel : kernels) arguments_.push_back(argument_pointers(kernel));
  }
  ~Pipeline() {
    for (auto& event : events_)
      if (event) cudaEventDestroy(event);
    for (auto& stream : streams_)
      if (stream) cudaStreamDestroy(stream);
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  cudaStream_t first() const { return streams_.front(); }
  cudaStream_t last() const { return streams_[std::size_t(nodes_.back().stream)]; }

  // `call(kind, node, f)` makes the call f and may look at the clock around it.
  template <class Call>
  void launch_all(bool each, Call&& call) {
    for (std::size_t i = 0; i < nodes_.size() && !errors_.any(); ++i) {
      const PipelineNode& node = nodes_[i];
      const cudaStream_t stream = streams_[std::size_t(node.stream)];
      for (const int before : node.after)
        if (nodes_[std::size_t(before)].stream != node.stream)
          errors_(call(ApiKind::wait_event, int(i),
                       [&] { return cudaStreamWaitEvent(stream, events_[std::size_t(before)], 0); }),
                  "cudaStreamWaitEvent");
      errors_(call(ApiKind::launch, int(i), [&] { return launch(i, stream); }), "cudaLaunchKernel");
      if (event_behind_[i])
        errors_(call(ApiKind::record_event, int(i), [&] { return cudaEventRecord(events_[i], stream); }),
                "cudaEventRecord");
      if (each)
        errors_(call(ApiKind::synchronize, int(i), [&] { return cudaStreamSynchronize(stream); }),
                "cudaStreamSynchronize");
    }
  }

  Graph capture(PipelineRecord* record);
  Graph build(std::vector<cudaGraphNode_t>* nodes = nullptr);  // by kernel

 private:
  cudaError_t launch(std::size_t i, cudaStream_t stream) {
    const lab::KernelNode& k = kernels_[i];
    return cudaLaunchKernel(k.kernel, dims(k.grid), dims(k.block), arguments_[i].data(),
                            std::size_t(k.dynamic_shared_bytes), stream);
  }
  const std::vector<PipelineNode>& nodes_;
  const std::vector<lab::KernelNode>& kernels_;
  Errors& errors_;
  std::vector<bool> event_behind_;
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> events_;
  std::vector<std::vector<void*>> arguments_;
};

// Notes each call with the CPU's clock; time 0 is the first call's start.
class Noting {
 public:
  explicit Noting(PipelineRecord& record) : record_(record) {}
  template <class F>
  cudaError_t operator()(ApiKind kind, int node, F&& f) {
    const std::int64_t start = cpu_ns();
    const cudaError_t error = f();
    const std::int64_t end = cpu_ns();
    if (record_.calls.empty()) origin_ = start;
    record_.calls.push_back({kind, node, start - origin_, end - origin_});
    return error;
  }
  std::int64_t origin() const { return origin_; }

 private:
  PipelineRecord& record_;
  std::int64_t origin_ = 0;
};

constexpr auto kNotNoting = [](ApiKind, int, auto&& f) { return f(); };

Graph Pipeline::capture(PipelineRecord* record) {
  PipelineRecord unused;
  Noting noting(record ? *record : unused);
  cudaGraph_t graph = nullptr;
  errors_(noting(ApiKind::begin_capture, -1,
                 [&] { return cudaStreamBeginCapture(first(), cudaStreamCaptureModeThreadLocal); }),
          "cudaStreamBeginCapture");
  launch_all(false, noting);
  errors_(noting(ApiKind::end_capture, -1, [&] { return cudaStreamEndCapture(first(), &graph); }),
          "cudaStreamEndCapture");
  return Graph(graph);
}

// The same graph without a capture: node by node, with what each waits for.
Graph Pipeline::build(std::vector<cudaGraphNode_t>* nodes) {
  cudaGraph_t graph = nullptr;
  if (!errors_(cudaGraphCreate(&graph, 0), "cudaGraphCreate")) return {};
  Graph owned(graph);
  std::vector<cudaGraphNode_t> made(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    std::vector<cudaGraphNode_t> after;
    for (const int before : nodes_[i].after) after.push_back(made[std::size_t(before)]);
    const auto parameters = node_parameters(kernels_[i], arguments_[i]);
    if (!errors_(cudaGraphAddKernelNode(&made[i], graph, after.data(), after.size(), &parameters),
                 "cudaGraphAddKernelNode"))
      break;
  }
  if (nodes) *nodes = made;
  return owned;
}

Exec instantiate(const Graph& graph, Errors& errors) {
  cudaGraphExec_t exec = nullptr;
  errors(cudaGraphInstantiateWithFlags(&exec, graph.get(), 0), "cudaGraphInstantiate");
  return Exec(exec);
}

// --- one measurement
// ---------------------------------------------------------------------------------------------

class Measuring {
 public:
  Measuring(const std::vector<PipelineNode>& nodes, const std::vector<lab::KernelNode>& kernels,
            const PipelinePlan& plan)
      : nodes_(nodes), kernels_(kernels), plan_(plan), pipeline_(nodes, kernels, errors_) {}

  Result<PipelineMeasurement> all();

 private:
  using Run = std::function<void(PipelineRecord&, Noting&)>;
  bool fine() const { return !errors_.any(); }
  bool reset() {
    if (!plan_.reset()) errors_.say("the buffers could not be brought to their first state");
    return fine() && errors_(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  void check(Way way) {
    if (!fine()) return;
    const auto right = plan_.check(way);
    if (!right)
      errors_.say(right.error().text());
    else if (!*right)
      errors_.say(std::string("the kernels give a wrong result by way of ") + name_of(way));
  }
  void read_stamps(PipelineRecord& record, std::int64_t origin);
  PipelineRecord median_record(Spread& total, const Run& run, Way way);
  Spread plain_loop(const std::function<void()>& run);
  template <class F>
  Spread timed(int times, F&& f, const std::function<void()>& between = {});
  void measure_graph();
  void measure_update(const Exec& exec);
  void measure_memory(const Graph& graph);
  ActivityTrace trace_activity();
  Spread stream_loop();

  const std::vector<PipelineNode>& nodes_;
  const std::vector<lab::KernelNode>& kernels_;
  const PipelinePlan& plan_;
  Errors errors_;
  Pipeline pipeline_;
  ClockPair clocks_;
  PipelineMeasurement m_;
};

void Measuring::read_stamps(PipelineRecord& record, std::int64_t origin) {
  std::vector<unsigned long long> stamps(2 * nodes_.size());
  if (!errors_(
          cudaMemcpy(stamps.data(), plan_.stamps, stamps.size() * sizeof stamps[0], cudaMemcpyDeviceToHost),
          "cudaMemcpy"))
    return;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::int64_t start = clocks_.cpu_ns_of(stamps[2 * i]) - origin;
    const std::int64_t length = std::int64_t(stamps[2 * i + 1] - stamps[2 * i]);
    if (length < 0) return errors_.say("kernel " + nodes_[i].name + " left no stamps");
    record.kernels.push_back({start, start + length});
  }
}

// `replays` runs after two that warm up; the record of the one whose total is the median.
PipelineRecord Measuring::median_record(Spread& total, const Run& run, Way way) {
  std::vector<PipelineRecord> records;
  for (int i = -2; i < plan_.replays && fine(); ++i) {
    PipelineRecord record;
    Noting noting(record);
    if (!reset()) break;
    run(record, noting);
    if (!errors_(cudaDeviceSynchronize(), "cudaDeviceSynchronize")) break;
    if (i == -2) check(way);
    read_stamps(record, noting.origin());
    if (i >= 0) records.push_back(std::move(record));
  }
  if (records.empty() || !fine()) return {};
  // What the CPU saw: the kernels' ends stand on a clock that is known less well.
  const auto seen = [](const PipelineRecord& r) { return double(r.calls.back().end_ns) / 1e3; };
  std::sort(records.begin(), records.end(), [&](const auto& a, const auto& b) { return seen(a) < seen(b); });
  total = {seen(records[records.size() / 2]), seen(records.front()), seen(records.back())};
  return records[records.size() / 2];
}

Spread Measuring::plain_loop(const std::function<void()>& run) {
  std::vector<double> totals;
  for (int i = -1; i < plan_.replays && fine(); ++i) {
    if (!reset()) break;
    const std::int64_t start = cpu_ns();
    run();
    const double total = double(cpu_ns() - start) / 1e3;
    if (i >= 0) totals.push_back(total);
  }
  return spread_of(totals);
}

template <class F>
Spread Measuring::timed(int times, F&& f, const std::function<void()>& between) {
  std::vector<double> values;
  for (int i = 0; i < times && fine(); ++i) {
    const std::int64_t start = cpu_ns();
    f();
    values.push_back(double(cpu_ns() - start) / 1e3);
    if (between) between();
  }
  return spread_of(values);
}

constexpr int kRepeats = 9;  // of what is done once per graph

void Measuring::measure_graph() {
  Noting noting_capture(m_.capture);
  const Graph graph = pipeline_.capture(&m_.capture);
  if (!fine()) return;
  Exec exec;
  m_.instantiate = timed(kRepeats, [&] { exec = instantiate(graph, errors_); });
  if (!fine()) return;
  m_.upload = timed(kRepeats, [&] {
    errors_(cudaGraphUpload(exec.get(), pipeline_.first()), "cudaGraphUpload");
    errors_(cudaStreamSynchronize(pipeline_.first()), "cudaStreamSynchronize");
  });
  std::vector<double> calls;
  const auto launch = [&] { return cudaGraphLaunch(exec.get(), pipeline_.first()); };
  const auto wait = [&] { return cudaStreamSynchronize(pipeline_.first()); };
  m_.graph = median_record(
      m_.graph_total,
      [&](PipelineRecord& record, Noting& noting) {
        errors_(noting(ApiKind::graph_launch, -1, launch), "cudaGraphLaunch");
        errors_(noting(ApiKind::synchronize, -1, wait), "cudaStreamSynchronize");
        calls.push_back(double(record.calls.front().end_ns - record.calls.front().start_ns) / 1e3);
      },
      Way::graph);
  m_.launch_call = spread_of(calls);
  m_.graph_loop = plain_loop([&] {
    errors_(launch(), "cudaGraphLaunch");
    errors_(wait(), "cudaStreamSynchronize");
  });
  measure_memory(graph);
  // The way without a capture.
  Graph built;
  m_.build = timed(kRepeats, [&] { built = pipeline_.build(); });
  if (!fine()) return;
  const Exec second = instantiate(built, errors_);
  if (!fine() || !reset()) return;
  errors_(cudaGraphLaunch(second.get(), pipeline_.first()), "cudaGraphLaunch");
  errors_(wait(), "cudaStreamSynchronize");
  check(Way::built);
  measure_update(exec);
}

// The instantiated graph takes other arguments: a whole new graph of the same form, or one node's.
void Measuring::measure_update(const Exec& exec) {
  if (!fine() || plan_.other.size() != nodes_.size()) return;
  Pipeline other(nodes_, plan_.other, errors_);
  const Graph graphs[] = {other.capture(nullptr), pipeline_.capture(nullptr)};
  if (!fine()) return;
  int turn = 0;  // ends with the other arguments
  m_.update = timed(kRepeats, [&] {
#if CUDART_VERSION >= 12000
    cudaGraphExecUpdateResultInfo info{};
    errors_(cudaGraphExecUpdate(exec.get(), graphs[turn++ % 2].get(), &info), "cudaGraphExecUpdate");
#else
    cudaGraphNode_t node;
    cudaGraphExecUpdateResult info;
    errors_(cudaGraphExecUpdate(exec.get(), graphs[turn++ % 2].get(), &node, &info), "cudaGraphExecUpdate");
#endif
  });
  if (!fine() || !reset()) return;
  errors_(cudaGraphLaunch(exec.get(), pipeline_.first()), "cudaGraphLaunch");
  errors_(cudaStreamSynchronize(pipeline_.first()), "cudaStreamSynchronize");
  check(Way::updated);
  // One kernel node's parameters, in a graph whose nodes are known by name: the one built by hand.
  const Graph built = pipeline_.build();
  const Exec own = instantiate(built, errors_);
  std::size_t count = 0;
  if (!fine() || !errors_(cudaGraphGetNodes(built.get(), nullptr, &count), "cudaGraphGetNodes")) return;
  std::vector<cudaGraphNode_t> made(count);
  if (!errors_(cudaGraphGetNodes(built.get(), made.data(), &count), "cudaGraphGetNodes")) return;
  auto arguments = argument_pointers(kernels_.front());
  const auto parameters = node_parameters(kernels_.front(), arguments);
  m_.set_parameters = timed(kRepeats * 10, [&] {
    errors_(cudaGraphExecKernelNodeSetParams(own.get(), made.front(), &parameters),
            "cudaGraphExecKernelNodeSetParams");
  });
}

// Free memory before and after many copies of the graph: the driver takes it in large pieces.
void Measuring::measure_memory(const Graph& graph) {
  constexpr int kCopies = 32;
  std::size_t before = 0, after = 0, total = 0;
  std::vector<Exec> copies;
  if (!fine() || !errors_(cudaMemGetInfo(&before, &total), "cudaMemGetInfo")) return;
  for (int i = 0; i < kCopies && fine(); ++i) {
    copies.push_back(instantiate(graph, errors_));
    if (fine()) errors_(cudaGraphUpload(copies.back().get(), pipeline_.first()), "cudaGraphUpload");
  }
  if (!fine() || !errors_(cudaStreamSynchronize(pipeline_.first()), "cudaStreamSynchronize")) return;
  errors_(cudaMemGetInfo(&after, &total), "cudaMemGetInfo");
  m_.memory_bytes = before > after ? double(before - after) / kCopies : 0;
}

Spread Measuring::stream_loop() {
  return plain_loop([&] {
    pipeline_.launch_all(plan_.each, kNotNoting);
    if (!plan_.each) errors_(cudaStreamSynchronize(pipeline_.last()), "cudaStreamSynchronize");
  });
}

// By stream and by graph under the profiler, the last thing of all: it slows what it looks at. Nothing that
// fails here fails the measurement.
ActivityTrace Measuring::trace_activity() {
  ActivityTrace trace;
  const auto pass = [&](CuptiTrace& cupti, ActivityPass& into, const std::function<void()>& run) {
    for (int i = 0; i < 2 && fine() && !trace.problem.any(); ++i) {  // the first one warms up
      into = {};
      ActivityPass of_reset;
      if (!reset() || (trace.problem = cupti.take(of_reset, 0)).any()) return;
      const std::int64_t origin = cpu_ns();
      run();
      if (!errors_(cudaDeviceSynchronize(), "cudaDeviceSynchronize")) return;
      trace.problem = cupti.take(into, origin);
      read_stamps(into.stamps, origin);
    }
  };
  {
    CuptiTrace cupti;
    if (trace.problem = cupti.start(); trace.problem.any()) return trace;
    Pipeline traced(nodes_, kernels_, errors_);
    pass(cupti, trace.stream, [&] { traced.launch_all(plan_.each, kNotNoting); });
    // The graph is made under the profiler's eyes, which then knows its nodes.
    std::vector<cudaGraphNode_t> made;
    const Graph graph = traced.build(&made);
    for (std::size_t i = 0; i < made.size() && fine(); ++i) cupti.name_node(made[i], int(i));
    const Exec exec = fine() ? instantiate(graph, errors_) : Exec();
    pass(cupti, trace.graph,
         [&] { errors_(cudaGraphLaunch(exec.get(), traced.first()), "cudaGraphLaunch"); });
    trace.clock_error_us = cupti.clock_error_us() + m_.clock_error_us;
  }
  if (fine()) trace.loop_after_us = stream_loop().median;
  if (!fine() && !trace.problem.any()) trace.problem = {"run", errors_.text(), ""};
  errors_ = {}, cudaGetLastError();  // told and forgotten: nobody after this hears of it
  return trace;
}

Result<PipelineMeasurement> Measuring::all() {
  const auto failed = [&] {
    return Error{Exit::worker_died, {"the pipeline could not be measured: {0}", {errors_.text()}}};
  };
  if (!fine() || !reset()) return failed();
  if (const std::string problem = clocks_.align(); !problem.empty()) return errors_.say(problem), failed();
  m_.stream = median_record(
      m_.stream_total,
      [&](PipelineRecord&, Noting& noting) {
        pipeline_.launch_all(plan_.each, noting);
        if (!plan_.each)
          errors_(noting(ApiKind::synchronize, -1, [&] { return cudaStreamSynchronize(pipeline_.last()); }),
                  "cudaStreamSynchronize");
      },
      Way::stream);
  m_.stream_loop = stream_loop();
  if (fine()) measure_graph();
  if (!fine()) return failed();
  const auto costs = measure_launch_costs(clocks_);
  if (!costs) return costs.error();
  m_.costs = *costs;
  m_.costs.graph_launch = m_.launch_call.median;
  m_.cases = try_capture_cases();
  // The clocks drift: how far since the start.
  if (const std::string problem = clocks_.align_again(); !problem.empty())
    return errors_.say(problem), failed();
  m_.clock_error_us = clocks_.error_us(), m_.timer_step_us = clocks_.step_us();
  m_.activity = trace_activity();
  return m_;
}

}  // namespace

Result<PipelineMeasurement> measure_pipeline(const std::vector<PipelineNode>& nodes,
                                             const std::vector<lab::KernelNode>& kernels,
                                             const PipelinePlan& plan) {
  if (nodes.empty() || nodes.size() != kernels.size())
    return Error{Exit::worker_died, {"the pipeline's nodes and its launches are not the same", {}}};
  return Measuring(nodes, kernels, plan).all();
}

Result<double> stamped_us(const lab::KernelNode& kernel, const PipelinePlan& plan) {
  Errors errors;
  auto arguments = argument_pointers(kernel);
  std::vector<double> times;
  for (int i = -2; i < 9 && !errors.any(); ++i) {
    if (!plan.reset()) errors.say("the buffers could not be brought to their first state");
    errors(cudaLaunchKernel(kernel.kernel, dims(kernel.grid), dims(kernel.block), arguments.data(),
                            std::size_t(kernel.dynamic_shared_bytes), nullptr),
           "cudaLaunchKernel");
    unsigned long long stamps[2] = {};
    errors(cudaMemcpy(stamps, plan.stamps, sizeof stamps, cudaMemcpyDeviceToHost), "cudaMemcpy");
    if (i >= 0) times.push_back(double(stamps[1] - stamps[0]) / 1e3);
  }
  if (errors.any())
    return Error{Exit::worker_died, {"a kernel's length was not measured: {0}", {errors.text()}}};
  return spread_of(times).median;
}

}  // namespace lockstep::cuda
