#include "cuda_pipeline.hpp"

#ifdef LOCKSTEP_HAS_CUDA
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "app/platform/ranges.hpp"
#include "kernels/cuda/gpu.hpp"
#include "kernels/cuda/pipeline.hpp"
#include "kernels/simt/emulate.hpp"

namespace lockstep {
namespace {

// The problem of one request on the device, with the kernels that its launcher would launch.
class PipelineProblem {
 public:
  PipelineProblem(const RungRef& found, const Request& request)
      : found_(found),
        params_(request.params),
        rung_(request.rung),
        buffers_(*found.ladder, params_, rung_),
        results_(*found.ladder, params_, rung_),
        device_(buffers_.spans()) {}

  const std::string& error() const { return device_.error(); }
  const Params& params() const { return params_; }
  bool reset() { return device_.upload(buffers_.spans()); }
  bool right(const Params& params) {
    return device_.download(results_.spans()) &&
           found_.ladder->check(params, rung_, results_.contents()).pass;
  }
  const void* stamps(std::size_t kernel) const {  // the last buffer: [kernels][2]
    const auto binding = device_.binding(params_);
    return static_cast<const unsigned long long*>(binding.buffers.back().data) + 2 * kernel;
  }
  Result<std::vector<lab::KernelNode>> kernels(const Params& params) const {
    return cuda::pipeline_kernels(found_.rung->file, device_.binding(params));
  }
  // The rounds that make a kernel `wanted_us` long: from its length at two numbers of rounds.
  Result<std::int64_t> rounds_for(double wanted_us);

 private:
  Result<double> length_us(std::int64_t rounds);
  const RungRef& found_;
  Params params_;
  std::string rung_;
  simt::ProblemBuffers buffers_, results_;
  cuda::DeviceBuffers device_;
};

Result<double> PipelineProblem::length_us(std::int64_t rounds) {
  Params with = params_;
  with["rounds"] = rounds;
  const auto all = kernels(with);
  if (!all) return all.error();
  const std::size_t kernel = all->size() > 2 ? 1 : 0;  // the first and the last one may do more than rounds
  cuda::PipelinePlan plan;
  plan.reset = [this] { return reset(); };
  plan.stamps = stamps(kernel);
  return cuda::stamped_us((*all)[kernel], plan);
}

Result<std::int64_t> PipelineProblem::rounds_for(double wanted_us) {
  constexpr std::int64_t kFew = 1000, kMany = 11000;
  const auto few = length_us(kFew);
  if (!few) return few.error();
  const auto many = length_us(kMany);
  if (!many) return many.error();
  const double per_round = (*many - *few) / double(kMany - kFew);
  if (!(per_round > 0))
    return Error{
        Exit::worker_died,
        {"the kernels' length could not be calibrated: {0} us for {1} rounds, {2} us for {3}",
         {std::to_string(*few), std::to_string(kFew), std::to_string(*many), std::to_string(kMany)}}};
  return std::max<std::int64_t>(1, kFew + std::llround((wanted_us - *few) / per_round));
}

void add_spread(Run& run, const std::string& name, const cuda::Spread& spread) {
  run.metrics[name + "_us"] = spread.median;
  run.metrics[name + "_min_us"] = spread.min, run.metrics[name + "_max_us"] = spread.max;
}

void add_cases(Run& run, const std::vector<cuda::CaptureCase>& cases) {
  for (const cuda::CaptureCase& c : cases) {
    run.metrics["cases." + c.slug + ".error"] = std::int64_t{c.error};
    run.metrics["cases." + c.slug + ".error_name"] = c.error_name;
    run.metrics["cases." + c.slug + ".way_out"] = std::int64_t{c.way_out};
    run.metrics["cases." + c.slug + ".way_out_name"] = c.way_out_name;
  }
}

std::vector<double> lengths_us(const PipelineRecord& record) {
  std::vector<double> lengths;
  for (const KernelSpan& kernel : record.kernels)
    lengths.push_back(double(kernel.end_ns - kernel.start_ns) / 1e3);
  return lengths;
}

void add_graph(Run& run, const cuda::PipelineMeasurement& m) {
  add_spread(run, "graph.total", m.graph_total), add_spread(run, "graph.loop", m.graph_loop);
  add_spread(run, "graph.instantiate", m.instantiate), add_spread(run, "graph.upload", m.upload);
  add_spread(run, "graph.launch", m.launch_call), add_spread(run, "graph.build", m.build);
  add_spread(run, "graph.update", m.update), add_spread(run, "graph.set_parameters", m.set_parameters);
  run.metrics["graph.memory_bytes"] = m.memory_bytes;
  run.metrics["capture.record"] = to_text(m.capture);
  run.metrics["capture.total_us"] = m.capture.total_us();
}

void add_all(Run& run, const std::vector<PipelineNode>& nodes, const cuda::PipelineMeasurement& m,
             bool each) {
  const auto merge = [&](std::map<std::string, Value> more) {
    for (auto& [name, value] : more) run.metrics[name] = std::move(value);
  };
  const bool graph = m.graph_problem.empty();
  merge(record_metrics("stream", nodes, m.stream, stream_starts(m.costs)));
  add_spread(run, "stream.total", m.stream_total), add_spread(run, "stream.loop", m.stream_loop);
  merge(cost_metrics(m.costs));
  if (graph) {
    merge(record_metrics("graph", nodes, m.graph, graph_starts(m.costs)));
    add_graph(run, m);
  } else {
    run.metrics["graph.problem"] = m.graph_problem;
    run.warnings.push_back({N_("there is no graph of these kernels: {0}"), {m.graph_problem}});
  }
  run.metrics["clock.error_us"] = m.clock_error_us, run.metrics["clock.step_us"] = m.timer_step_us;
  add_cases(run, m.cases);
  merge(activity_metrics(nodes, m.activity));
  // The models hear of the kernels' lengths from one way, and of nothing else that they are to predict.
  const auto models = pipeline_models(nodes, lengths_us(graph ? m.graph : m.stream), m.costs);
  merge(model_metrics(models, each, m.stream_total.median,
                      graph ? std::optional(m.graph_total.median) : std::nullopt));
  for (const char* what : {"serial", "asynchronous", "graph", "break_even"})
    run.provenance[std::string("metrics.models.") + what + "_us"] = "modelled, from the measured costs";
  for (const char* group : kPipelineGroups) run.provenance[std::string("metrics.") + group] = "measured";
}

// Which fault a validation wants to see met: LOCKSTEP_FAULT=capture, instantiate or driver.
cuda::Fault wanted_fault() {
  const char* word = std::getenv("LOCKSTEP_FAULT");
  const std::string name = word ? word : "";
  if (name == "capture") return cuda::Fault::capture;
  if (name == "instantiate") return cuda::Fault::instantiate;
  return name == "driver" ? cuda::Fault::driver : cuda::Fault::none;
}

}  // namespace

Status add_pipeline(Run& run, const RungRef& found) {
  const Request& request = run.request;
  PipelineProblem problem(found, request);
  const auto failed = [&](const std::string& why) {
    return Error{Exit::worker_died, {"the GPU reported an error: {0}", {why}}};
  };
  if (!problem.error().empty()) return failed(problem.error());
  Params params = request.params, other = request.params;
  if (params.contains("kernel_us")) {
    const Range range("calibrate the kernels' length");
    const auto rounds = problem.rounds_for(double(int_param(params, "kernel_us")));
    if (!rounds) return rounds.error();
    params["rounds"] = *rounds, other["rounds"] = *rounds + 1;
    run.metrics["clock.rounds"] = *rounds;
  }
  const auto kernels = problem.kernels(params);
  if (!kernels) return kernels.error();
  const auto others = problem.kernels(other);
  if (!others) return others.error();
  cuda::PipelinePlan plan;
  plan.each = std::get<std::string>(request.params.at("sync")) == "each";
  plan.replays = int(int_param(request.params, "replays"));
  plan.reset = [&] { return problem.reset(); };
  plan.check = [&](cuda::Way way) -> Result<bool> {
    const Range range(std::string("check the way ") + cuda::name_of(way));
    return problem.right(way == cuda::Way::updated ? other : params);
  };
  plan.stamps = problem.stamps(0), plan.other = *others, plan.fault = wanted_fault();
  const auto nodes = found.ladder->nodes(request.params, request.rung);
  std::optional<Range> part;
  plan.told = [&](const char* name) { part.emplace(name); };
  const auto measured = cuda::measure_pipeline(nodes, *kernels, plan);
  part.reset();
  if (!measured) return measured.error();
  add_all(run, nodes, *measured, plan.each);
  return Unit{};
}

}  // namespace lockstep

#endif
