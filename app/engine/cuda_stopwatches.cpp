#include "cuda_stopwatches.hpp"

#ifdef LOCKSTEP_HAS_CUDA
#include <optional>

#include "app/platform/ranges.hpp"
#include "kernels/cuda/gpu.hpp"
#include "kernels/cuda/stopwatches.hpp"
#include "kernels/simt/emulate.hpp"
#include "kernels/timing/sizes.hpp"

namespace lockstep {
namespace {

constexpr std::int64_t kProductSizes[] = {32, 64, 128, 256, 512, 1024, 2048, 4096};
constexpr const char* kProductRung = "ldmatrix";

// The lab gemm's fastest kernel at sizes from "hardly a block" to "all SMs": medians by events.
Status add_products(Run& run) {
  const Ladder& gemm = *find_ladder("gemm");
  const RungInfo& rung = gemm.info.rungs[std::size_t(gemm.info.rung_index(kProductRung))];
  std::vector<ProductTime> times;
  for (const std::int64_t n : kProductSizes) {
    const Range range("product of " + std::to_string(n));
    Params given = gemm.info.sets.at(rung.slug).back();  // the largest tile, whatever the size
    given["m"] = given["n"] = given["k"] = n;
    const auto params = complete_params(gemm.info, rung.slug, given);
    if (!params) return params.error();
    simt::ProblemBuffers buffers(gemm, *params, rung.slug);
    cuda::DeviceBuffers device(buffers.spans());
    if (!device.error().empty())
      return Error{Exit::worker_died, {"the GPU reported an error: {0}", {device.error()}}};
    lab::LaunchLog log;
    cuda::run_clean(rung.file, device.binding(*params), log);
    if (!log.error.empty()) return Error{Exit::worker_died, {"the GPU reported an error: {0}", {log.error}}};
    const lab::Extents grid = log.facts.front().grid;
    const auto time = cuda::time_clean(rung.file, device.binding(*params), {5, 30, 30});
    if (!time) return time.error();
    times.push_back({int(n), grid.x * grid.y * grid.z, time->median_ms * 1e3});
  }
  for (auto& [name, value] : product_metrics(times)) run.metrics[name] = std::move(value);
  run.metrics["products.multiprocessors"] = std::int64_t{run.device.multiprocessors};
  run.metrics["products.rung"] = std::string("gemm/") + kProductRung;
  return Unit{};
}

}  // namespace

Status add_stopwatches(Run& run, const RungRef& found) {
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
    cuda::start_clean(found.rung->file, device.binding(params), log);
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
      cuda::measure_stopwatches(launch, kCopies, int(int_param(request.params, "runs")), told);
  if (!measured) return measured.error();
  for (auto& [name, value] : stopwatch_metrics(*measured)) run.metrics[name] = std::move(value);
  std::optional<Range> part(std::in_place, "check");
  if (!device.download(buffers.spans()))
    return Error{Exit::worker_died, {"the GPU reported an error: {0}", {device.error()}}};
  if (!found.ladder->check(request.params, request.rung, buffers.contents()).pass)
    return Error{Exit::worker_died, {"the kernel gives a wrong result while it is timed", {}}};
  part.emplace("products");
  return add_products(run);
}

}  // namespace lockstep

#endif
