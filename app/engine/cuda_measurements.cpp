#include "cuda_measurements.hpp"

#ifdef LOCKSTEP_HAS_CUDA
#include <algorithm>

#include "app/model/measured_evidence.hpp"
#include "app/platform/ranges.hpp"
#include "kernels/cuda/gpu.hpp"
#include "kernels/simt/emulate.hpp"

namespace lockstep {
Error gpu_error(const std::string& what) {
  return {Exit::worker_died,
          {"the GPU reported an error: {0}. Run again; `lockstep doctor` tells what works here.", {what}}};
}

namespace {

// The problem of a timed launch, on the host and on the device: kept for the next request, since a slider
// that changes the launch alone asks for it again.
struct TimedProblem {
  TimedProblem(const Ladder& ladder, const std::string& rung, const Params& params, Params key)
      : ladder(&ladder),
        rung(rung),
        key(std::move(key)),
        host(ladder, params, rung),
        device(host.spans(), host.specs()) {}
  bool is(const Ladder& of, const std::string& its_rung, const Params& its_key) const {
    return ladder == &of && rung == its_rung && key == its_key;
  }
  const Ladder* ladder;
  std::string rung;
  Params key;  // without Measurement::of_launch
  simt::ProblemBuffers host;
  cuda::DeviceBuffers device;
};

Params problem_key(const Measurement& m) {
  Params key = m.params;
  for (const std::string& name : m.of_launch) key.erase(name);
  return key;
}

// Outputs as before a first run: nothing of an earlier launch may pass for this one's result.
bool poison_outputs(TimedProblem& problem) {
  for (std::size_t i = 0; i < problem.host.specs().size(); ++i)
    if (!problem.host.specs()[i].input && !problem.device.poison(i)) return false;
  return true;
}

bool download_outputs(simt::ProblemBuffers& host, cuda::DeviceBuffers& device) {
  for (std::size_t i = 0; i < host.specs().size(); ++i)
    if (!host.specs()[i].input && !device.download(i, host.spans()[i])) return false;
  return true;
}

class MeasurementsOnGpu final : public GpuMeasurements {
 public:
  Status measure(const MeasurementPlan& plan, const RungRef& found, Run& run) override;

 private:
  Status time_launch(const Ladder& ladder, const Measurement& m, MeasuredFigure& figure);
  std::unique_ptr<TimedProblem> timed_;
};

// The time of a launch at settings of its own, short enough for a slider; all of the result is checked once.
Status MeasurementsOnGpu::time_launch(const Ladder& ladder, const Measurement& m, MeasuredFigure& figure) {
  constexpr cuda::TimingPlan kPlan{3, 30, 20};
  const Range range("time " + m.name);
  std::unique_ptr<TimedProblem> problem = std::move(timed_);  // kept again where all went well
  if (const Params key = problem_key(m); !problem || !problem->is(ladder, m.rung, key)) {
    problem.reset();  // first, or the device would hold two
    problem = std::make_unique<TimedProblem>(ladder, m.rung, m.params, key);
  }
  if (!problem->device.error().empty() || !poison_outputs(*problem))
    return gpu_error(problem->device.error());
  const auto& rung = ladder.info.rungs.at(std::size_t(ladder.info.rung_index(m.rung)));
  const auto time = cuda::time_clean(rung, problem->device.binding(m.params), kPlan);
  if (!time) return time.error();
  if (!download_outputs(problem->host, problem->device)) return gpu_error(problem->device.error());
  if (!ladder.check(m.params, m.rung, problem->host.contents()).pass)
    return gpu_error(m.rung + " gives a wrong result while " + m.name + " is measured");
  if (!m.of_launch.empty()) timed_ = std::move(problem);
  figure.value = time->median_ms, figure.min = time->min_ms, figure.p95 = time->p95_ms;
  return Unit{};
}

Status time_copy(const Measurement& m, MeasuredFigure& figure) {
  constexpr cuda::TimingPlan kPlan{5, 200, 200};  // small ones scatter, large ones take long
  const Range range("time " + m.name);
  const auto time = cuda::time_host_copy(m.copy->bytes, m.copy->pinned, m.copy->to_device, kPlan);
  if (!time) return time.error();
  figure.value = time->median_ms, figure.min = time->min_ms, figure.p95 = time->p95_ms;
  return Unit{};
}

constexpr int kMeasuredLaunches = 11;

// Median of what the kernel's own clock says in several launches, with the smallest and the largest.
Status read_clock(const Ladder& ladder, const Measurement& m, MeasuredFigure& figure) {
  const Range range("measure " + m.name);
  simt::ProblemBuffers buffers(ladder, m.params, m.rung);
  cuda::DeviceBuffers device(buffers.spans(), buffers.specs());
  if (!device.error().empty()) return gpu_error(device.error());
  const auto& rung = ladder.info.rungs.at(std::size_t(ladder.info.rung_index(m.rung)));
  std::vector<double> values;
  std::map<double, std::string> texts;
  for (int i = -1; i < kMeasuredLaunches; ++i) {  // one launch to warm up
    lab::LaunchLog log;
    log.keep_facts = false;
    cuda::run_clean(rung, device.binding(m.params), log);
    if (!log.error.empty()) return gpu_error(log.error);
    if (!download_outputs(buffers, device)) return gpu_error(device.error());
    if (!ladder.check(m.params, m.rung, buffers.contents()).pass)
      return gpu_error(m.rung + " gives a wrong result while " + m.name + " is measured");
    if (i < 0) continue;
    values.push_back(m.value(m.params, buffers.contents()));
    if (m.text) texts[values.back()] = m.text(m.params, buffers.contents());
  }
  std::sort(values.begin(), values.end());
  const double median = values[values.size() / 2];
  figure.value = median, figure.min = values.front(), figure.max = values.back();
  if (m.text) figure.text = texts.at(median);
  return Unit{};
}

Status MeasurementsOnGpu::measure(const MeasurementPlan& plan, const RungRef& found, Run& run) {
  MeasuredEvidence measured;
  for (const Measurement& m : plan.measurements(run.request.rung, run.request.params)) {
    MeasuredFigure& figure = measured.figures[m.name];
    const Status done = m.copy    ? time_copy(m, figure)
                        : m.value ? read_clock(*found.ladder, m, figure)
                                  : time_launch(*found.ladder, m, figure);
    if (!done) return done;
  }
  run.evidence.put(measured);
  if (plan.derived) run.evidence.merge(plan.derived(run));
  return Unit{};
}

}  // namespace

std::unique_ptr<GpuMeasurements> make_gpu_measurements() { return std::make_unique<MeasurementsOnGpu>(); }

}  // namespace lockstep

#endif
