#include "kernels/cuda/pipeline.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <utility>

#include "kernels/cuda/capture_cases.hpp"
#include "kernels/cuda/clocks.cuh"
#include "kernels/cuda/cupti_activity.hpp"
#include "kernels/cuda/gpu.hpp"
#include "kernels/cuda/pipeline_calls.cuh"

namespace lockstep::cuda {

const char* name_of(Way way) {
  static constexpr const char* kNames[kWays] = {"stream", "graph", "built", "updated"};
  return kNames[int(way)];
}

namespace {

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
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
  using Stamps = std::vector<unsigned long long>;
  Stamps read_stamps();
  void place(PipelineRecord& record, const Stamps& stamps, std::int64_t origin);
  void align() {
    if (const std::string problem = clocks_.align(); !problem.empty()) errors_.say(problem);
  }
  void measure_stream();
  struct Totals {
    Spread &noted, &plain;
  };
  PipelineRecord median_record(Totals totals, const Run& noted, const std::function<void()>& plain, Way way);
  double once_us(const std::function<void()>& run);
  template <class F>
  Spread timed(int times, F&& f, const std::function<void()>& between = {});
  void measure_graph();
  void measure_update(const Exec& exec);
  void measure_memory(const Graph& graph);
  // A run under the profiler, by either source.
  struct Traced {
    ActivityPass& pass;
    Stamps stamps;
    std::int64_t origin = 0;
  };
  void run_traced(CuptiTrace& cupti, ActivityProblem& problem, Traced& traced,
                  const std::function<void()>& run);
  ActivityTrace trace_activity();
  void launch_stream();

  const std::vector<PipelineNode>& nodes_;
  const std::vector<lab::KernelNode>& kernels_;
  const PipelinePlan& plan_;
  Errors errors_;
  Pipeline pipeline_;
  ClockPair clocks_;
  PipelineMeasurement m_;
};

Measuring::Stamps Measuring::read_stamps() {
  Stamps stamps(2 * nodes_.size());
  errors_(cudaMemcpy(stamps.data(), plan_.stamps, stamps.size() * sizeof stamps[0], cudaMemcpyDeviceToHost),
          "cudaMemcpy");
  return stamps;
}

void Measuring::place(PipelineRecord& record, const Stamps& stamps, std::int64_t origin) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::int64_t start = clocks_.cpu_ns_of(stamps[2 * i]) - origin;
    const std::int64_t length = std::int64_t(stamps[2 * i + 1] - stamps[2 * i]);
    if (length < 0) return errors_.say("kernel " + nodes_[i].name + " left no stamps");
    record.kernels.push_back({start, start + length});
  }
}

constexpr int kWarmUps = 5;

// `replays` runs after some that warm up, each followed by the same calls without a clock between them, so
// that both meet the same machine; the record of the run whose total is the median.
PipelineRecord Measuring::median_record(Totals totals, const Run& noted, const std::function<void()>& plain,
                                        Way way) {
  struct Seen {
    PipelineRecord record;
    Stamps stamps;
    std::int64_t origin;
    // What the CPU saw: the kernels' ends stand on a clock that is known less well.
    double total_us() const { return double(record.calls.back().end_ns) / 1e3; }
  };
  std::vector<Seen> all;
  std::vector<double> plain_us;
  align();
  for (int i = -kWarmUps; i < plan_.replays && fine(); ++i) {
    PipelineRecord record;
    record.calls.resize(4 * nodes_.size() + 2),
        record.calls.clear();  // no memory is asked for between the calls
    Noting noting(record);
    if (!reset()) break;
    noted(record, noting);
    if (!errors_(cudaDeviceSynchronize(), "cudaDeviceSynchronize")) break;
    if (i == -kWarmUps) check(way);
    Stamps stamps = read_stamps();
    const double without_clock = once_us(plain);
    if (i < 0) continue;
    all.push_back({std::move(record), std::move(stamps), noting.origin()});
    plain_us.push_back(without_clock);
  }
  if (fine()) align();
  if (all.empty() || !fine()) return {};
  std::sort(all.begin(), all.end(), [](const Seen& a, const Seen& b) { return a.total_us() < b.total_us(); });
  Seen& median = all[all.size() / 2];
  totals.noted = {median.total_us(), all.front().total_us(), all.back().total_us()};
  totals.plain = spread_of(plain_us);
  place(median.record, median.stamps, median.origin);
  return std::move(median.record);
}

double Measuring::once_us(const std::function<void()>& run) {
  if (!fine() || !reset()) return 0;
  const std::int64_t start = cpu_ns();
  run();
  return double(cpu_ns() - start) / 1e3;
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
  plan_.told("capture");
  const Graph graph = pipeline_.capture(&m_.capture, plan_.fault == Fault::capture);
  if (!fine()) return;
  const unsigned flags = plan_.fault == Fault::instantiate ? kContradiction : 0;
  Exec exec;
  plan_.told("instantiate");
  m_.instantiate = timed(kRepeats, [&] { exec = instantiate(graph, errors_, flags); });
  if (!fine()) return;
  plan_.told("upload");
  m_.upload = timed(kRepeats, [&] {
    errors_(cudaGraphUpload(exec.get(), pipeline_.first()), "cudaGraphUpload");
    errors_(cudaStreamSynchronize(pipeline_.first()), "cudaStreamSynchronize");
  });
  std::vector<double> calls;
  const auto launch = [&] { return cudaGraphLaunch(exec.get(), pipeline_.first()); };
  const auto wait = [&] { return cudaStreamSynchronize(pipeline_.first()); };
  plan_.told("graph runs");
  m_.graph = median_record(
      {m_.graph_total, m_.graph_loop},
      [&](PipelineRecord& record, Noting& noting) {
        errors_(noting(ApiKind::graph_launch, -1, launch), "cudaGraphLaunch");
        errors_(noting(ApiKind::synchronize, -1, wait), "cudaStreamSynchronize");
        calls.push_back(double(record.calls.front().end_ns - record.calls.front().start_ns) / 1e3);
      },
      [&] {
        errors_(launch(), "cudaGraphLaunch");
        errors_(wait(), "cudaStreamSynchronize");
      },
      Way::graph);
  m_.launch_call = spread_of(calls);
  plan_.told("memory of the graph");
  measure_memory(graph);
  // The way without a capture.
  plan_.told("build without a capture");
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
  plan_.told("update");
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
  plan_.told("set one node's parameters");
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

// What one more copy of the graph takes: the driver takes memory in large pieces, and what earlier graphs
// gave back is used first. So copies are made until it took some pieces, and counted from the first of these
// on.
void Measuring::measure_memory(const Graph& graph) {
  constexpr std::size_t kMostCopies = 1024, kMostNodes = 100'000, kPieces = 4;
  struct Piece {
    std::size_t copies, free_bytes;  // when it had been taken
  };
  std::vector<Piece> pieces;
  std::vector<Exec> copies;
  std::size_t least = 0, total = 0;
  if (!fine() || !errors_(cudaMemGetInfo(&least, &total), "cudaMemGetInfo")) return;
  const std::size_t most = std::clamp<std::size_t>(kMostNodes / nodes_.size(), 1, kMostCopies);
  while (copies.size() < most && pieces.size() < kPieces && fine()) {
    copies.push_back(instantiate(graph, errors_));
    std::size_t free = 0;
    if (!fine() || !errors_(cudaGraphUpload(copies.back().get(), pipeline_.first()), "cudaGraphUpload") ||
        !errors_(cudaStreamSynchronize(pipeline_.first()), "cudaStreamSynchronize") ||
        !errors_(cudaMemGetInfo(&free, &total), "cudaMemGetInfo"))
      return;
    if (free < least) pieces.push_back({copies.size(), least = free});
  }
  if (pieces.size() > 1)
    m_.memory_bytes = double(pieces.front().free_bytes - pieces.back().free_bytes) /
                      double(pieces.back().copies - pieces.front().copies);
}

void Measuring::launch_stream() {
  pipeline_.launch_all(plan_.each, kNotNoting);
  if (!plan_.each) errors_(cudaStreamSynchronize(pipeline_.last()), "cudaStreamSynchronize");
}

// Twice, of which the first one warms up.
void Measuring::run_traced(CuptiTrace& cupti, ActivityProblem& problem, Traced& traced,
                           const std::function<void()>& run) {
  for (int i = 0; i < 2 && fine() && !problem.any(); ++i) {
    ActivityPass of_reset;
    if (!reset() || (problem = cupti.take(of_reset, 0)).any()) return;
    traced.origin = cpu_ns();
    run();
    if (!errors_(cudaDeviceSynchronize(), "cudaDeviceSynchronize")) return;
    problem = cupti.take(traced.pass, traced.origin);
    traced.stamps = read_stamps();
  }
}

// By stream and by graph under the profiler, the last thing of all: it slows what it looks at. Nothing that
// fails here fails the measurement.
ActivityTrace Measuring::trace_activity() {
  ActivityTrace trace;
  Traced stream{trace.stream, {}, 0}, graph{trace.graph, {}, 0};
  align();  // and once more behind it: the exchanges' kernels are no business of the profiler
  {
    CuptiTrace cupti;
    trace.problem = cupti.start();
    if (trace.problem.any()) return errors_.take(), trace;
    Pipeline pipeline(nodes_, kernels_, errors_);
    run_traced(cupti, trace.problem, stream, [&] { pipeline.launch_all(plan_.each, kNotNoting); });
    if (fine() && m_.graph_problem.empty()) {
      // The graph is made under the profiler's eyes, which then knows its nodes.
      std::vector<cudaGraphNode_t> nodes;
      const Graph made = pipeline.build(&nodes);
      for (std::size_t i = 0; i < nodes.size() && fine(); ++i) cupti.name_node(nodes[i], int(i));
      const Exec exec = fine() ? instantiate(made, errors_) : Exec();
      run_traced(cupti, trace.problem, graph,
                 [&] { errors_(cudaGraphLaunch(exec.get(), pipeline.first()), "cudaGraphLaunch"); });
    }
    trace.clock_error_us = cupti.clock_error_us();
  }
  if (fine()) align();
  trace.clock_error_us += clocks_.error_us();
  for (Traced* traced : {&stream, &graph})
    if (fine() && !traced->stamps.empty()) place(traced->pass.stamps, traced->stamps, traced->origin);
  std::vector<double> after;
  for (int i = 0; i < plan_.replays && fine(); ++i) after.push_back(once_us([this] { launch_stream(); }));
  if (fine()) trace.loop_after_us = spread_of(after).median;
  if (!fine() && !trace.problem.any()) trace.problem = {"run", errors_.text(), ""};
  errors_.take(), cudaGetLastError();  // told and forgotten: nobody after this hears of it
  return trace;
}

void Measuring::measure_stream() {
  plan_.told("stream runs");
  m_.stream = median_record(
      {m_.stream_total, m_.stream_loop},
      [&](PipelineRecord&, Noting& noting) {
        pipeline_.launch_all(plan_.each, noting);
        if (!plan_.each)
          errors_(noting(ApiKind::synchronize, -1, [&] { return cudaStreamSynchronize(pipeline_.last()); }),
                  "cudaStreamSynchronize");
      },
      [this] { launch_stream(); }, Way::stream);
}

Result<PipelineMeasurement> Measuring::all() {
  const auto failed = [&] {
    return Error{Exit::worker_died, {"the pipeline could not be measured: {0}", {errors_.text()}}};
  };
  if (!fine() || !reset()) return failed();
  measure_stream();
  if (!fine()) return failed();
  measure_graph();
  if (!fine()) {  // the streams' times stand without a graph
    const PipelineMeasurement whole = std::exchange(m_, {});
    m_.stream = whole.stream, m_.stream_total = whole.stream_total, m_.stream_loop = whole.stream_loop;
    m_.graph_problem = errors_.take();
    cudaGetLastError();
  }
  plan_.told("launch costs");
  const auto costs = measure_launch_costs(clocks_, m_.graph_problem.empty());
  if (!costs) return costs.error();
  m_.costs = *costs;
  m_.costs.graph_launch = m_.launch_call.median;
  plan_.told("what can be captured");
  int driver = 0;
  if (plan_.fault == Fault::driver)
    driver = 12020;
  else
    cudaDriverGetVersion(&driver);
  m_.cases = try_capture_cases(driver);
  m_.clock_error_us = clocks_.error_us(), m_.timer_step_us = clocks_.step_us();
  plan_.told("under the profiler");
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
