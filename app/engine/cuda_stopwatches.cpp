#include "cuda_stopwatches.hpp"

#ifdef LOCKSTEP_HAS_CUDA
#include <optional>

#include "app/platform/ranges.hpp"
#include "kernels/cuda/gpu.hpp"
#include "kernels/cuda/stopwatches.hpp"
#include "kernels/simt/emulate.hpp"

namespace lockstep {
namespace {

// Products at sizes from "hardly a block" to "all SMs": medians by events.
Status add_products(Run& run, const StopwatchPlan& plan) {
  const Ladder* ladder = find_ladder(plan.product.lab);
  const int index = ladder ? ladder->info.rung_index(plan.product.rung) : -1;
  if (index < 0) return Unit{};
  const RungInfo& rung = ladder->info.rungs[std::size_t(index)];
  std::vector<ProductTime> times;
  for (const std::int64_t n : plan.sizes) {
    const Range range("product of " + std::to_string(n));
    const auto params = complete_params(ladder->info, rung.slug, plan.product_params(n));
    if (!params) return params.error();
    simt::ProblemBuffers buffers(*ladder, *params, rung.slug);
    cuda::DeviceBuffers device(buffers.spans());
    if (!device.error().empty())
      return Error{Exit::worker_died, {"the GPU reported an error: {0}", {device.error()}}};
    lab::LaunchLog log;
    cuda::run_clean(rung, device.binding(*params), log);
    if (!log.error.empty()) return Error{Exit::worker_died, {"the GPU reported an error: {0}", {log.error}}};
    const lab::Extents grid = log.facts.front().grid;
    const auto time = cuda::time_clean(rung, device.binding(*params), {5, 30, 30});
    if (!time) return time.error();
    times.push_back({int(n), grid.x * grid.y * grid.z, time->median_ms * 1e3});
  }
  Metrics all = product_metrics(times);
  all["products.multiprocessors"] = std::int64_t{run.device.multiprocessors};
  all["products.rung"] = plan.product.lab + "/" + rung.slug;
  run.evidence.merge(all);
  return Unit{};
}

}  // namespace

Status add_stopwatches(Run& run, const RungRef& found, const StopwatchPlan& plan) {
  const Request& request = run.request;
  simt::ProblemBuffers buffers(*found.ladder, request.params, request.rung);
  cuda::DeviceBuffers device(buffers.spans());
  if (!device.error().empty())
    return Error{Exit::worker_died, {"the GPU reported an error: {0}", {device.error()}}};
  Params params = request.params;
  const auto launch = [&](int copy) {
    params["copy"] = std::int64_t{copy};
    lab::LaunchLog log;
    log.keep_facts = false;
    cuda::start_clean(*found.rung, device.binding(params), log);
    return log.error.empty();
  };
  std::optional<Range> turn;
  const auto told = [&](Stopwatch stopwatch, cuda::StopwatchMoment moment) {
    if (moment == cuda::StopwatchMoment::begins)
      turn.emplace(name_of(stopwatch));
    else if (moment == cuda::StopwatchMoment::first_done)
      mark("the first launch is done");
    else
      turn.reset();
  };
  const auto measured =
      cuda::measure_stopwatches(launch, plan.copies, int(int_param(request.params, "runs")), told);
  if (!measured) return measured.error();
  run.evidence.merge(stopwatch_metrics(*measured));
  std::optional<Range> part(std::in_place, "check");
  if (!device.download(buffers.spans()))
    return Error{Exit::worker_died, {"the GPU reported an error: {0}", {device.error()}}};
  if (!found.ladder->check(request.params, request.rung, buffers.contents()).pass)
    return Error{Exit::worker_died, {"the kernel gives a wrong result while it is timed", {}}};
  part.emplace("products");
  return add_products(run, plan);
}

}  // namespace lockstep

#endif
