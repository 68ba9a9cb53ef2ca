#include "cuda_transfer.hpp"

#ifdef LOCKSTEP_HAS_CUDA
#include <algorithm>
#include <cmath>

#include "app/model/transfer_evidence.hpp"
#include "app/platform/ranges.hpp"
#include "cuda_measurements.hpp"
#include "kernels/cuda/gpu.hpp"
#include "kernels/cuda/transfer.hpp"
#include "kernels/simt/emulate.hpp"

namespace lockstep {
namespace {

// The problem of the timed size, on the host and where its buffers lie.
class TimedArrays {
 public:
  TimedArrays(const Ladder& ladder, const RungInfo& rung, const Params& params)
      : ladder_(ladder),
        rung_(rung),
        params_(params),
        first_(ladder, params, rung.slug),
        results_(ladder, params, rung.slug),
        there_(first_.spans(), first_.specs()) {}
  const std::string& error() const { return there_.error(); }
  bool reset() {
    for (std::size_t i = 0; i < first_.specs().size(); ++i)
      if (!(first_.specs()[i].input ? there_.upload(i, first_.spans()[i]) : there_.poison(i))) return false;
    return true;
  }
  Result<bool> right() {
    if (!there_.download(results_.spans())) return gpu_error(there_.error());
    return ladder_.check(params_, rung_.slug, results_.contents()).pass;
  }
  Result<std::vector<lab::HostCall>> calls(const Params& params) const {
    return cuda::host_calls(rung_, there_.binding(params));
  }

 private:
  const Ladder& ladder_;
  const RungInfo& rung_;
  Params params_;
  simt::ProblemBuffers first_, results_;
  cuda::DeviceBuffers there_;
};

// Managed memory counts as the GPU's: more of it than the card has free would be paged in and out.
Status fits(const Ladder& ladder, const std::string& rung, const Params& params) {
  double bytes = 0;
  for (const BufferSpec& spec : ladder.buffers(params, rung))
    if (spec.memory == MemoryKind::device || spec.memory == MemoryKind::managed)
      bytes += double(spec.bytes());
  const auto free = double(cuda::free_bytes());
  if (bytes <= 0.8 * free) return Unit{};
  return bad_input("the buffers take {0} MB, the GPU has {1} MB free: choose a smaller size",
                   {std::to_string(std::int64_t(bytes / 1e6)), std::to_string(std::int64_t(free / 1e6))});
}

// As many rounds as make the kernels `wanted_us` long: from their length at two numbers of rounds, both of
// them so many that memory does not count.
Result<std::int64_t> rounds_for(const Ladder& ladder, const TransferPlan& plan, Params params,
                                double wanted_us) {
  constexpr std::int64_t kFew = 2000, kMany = 6000;
  const Range range("calibrate the kernels' length");
  const RungInfo& rung = ladder.info.rungs.at(std::size_t(ladder.info.rung_index(plan.calibrated_rung)));
  const TimedArrays arrays(ladder, rung, params);
  if (!arrays.error().empty()) return gpu_error(arrays.error());
  const auto length = [&](std::int64_t rounds) -> Result<double> {
    params[plan.rounds] = rounds;
    const auto calls = arrays.calls(params);
    if (!calls) return calls.error();
    return cuda::kernels_us(*calls);
  };
  const auto few = length(kFew), many = length(kMany);
  if (!few) return few.error();
  if (!many) return many.error();
  const double per_round = (*many - *few) / double(kMany - kFew);
  if (!(per_round > 0))
    return Error{
        Exit::worker_died,
        {"the kernels' length could not be calibrated: {0} us for {1} rounds, {2} us for {3}",
         {std::to_string(*few), std::to_string(kFew), std::to_string(*many), std::to_string(kMany)}}};
  return std::max<std::int64_t>(1, kFew + std::llround((wanted_us - *few) / per_round));
}

SpreadUs spread(const cuda::Spread& s) { return {s.median, s.min, s.max}; }

}  // namespace

Status add_transfer(Run& run, const RungRef& found, const TransferPlan& plan) {
  const Ladder& ladder = *found.ladder;
  const std::string& rung = run.request.rung;
  Params params = plan.timed(run.request.params, rung);
  if (Status fitting = fits(ladder, rung, params); !fitting) return fitting;
  TransferEvidence evidence;
  const double wanted_us = plan.kernels_us(params);
  evidence.rounds = 1;
  if (wanted_us > 0) {
    const auto rounds = rounds_for(ladder, plan, params, wanted_us);
    if (!rounds) return rounds.error();
    evidence.rounds = *rounds;
  }
  params[plan.rounds] = *evidence.rounds;
  const Range range("time the copies and kernels");
  TimedArrays arrays(ladder, *found.rung, params);
  if (!arrays.error().empty()) return gpu_error(arrays.error());
  const auto calls = arrays.calls(params);
  if (!calls) return calls.error();
  cuda::TransferRuns runs;
  runs.reset = [&] { return arrays.reset(); };
  runs.check = [&] { return arrays.right(); };
  const auto measured = cuda::measure_transfer(*calls, runs);
  if (!measured) return measured.error();
  evidence.operations = simt::operations_of(ladder, found.rung->file, params);
  evidence.record = in_turn(measured->record, evidence.operations);
  evidence.total = spread(measured->total), evidence.plain = spread(measured->plain);
  evidence.clock_error_us = measured->clock_error_us;
  run.evidence.put(evidence);
  run.provenance["metrics.operations"] = Provenance::measured();
  return Unit{};
}

}  // namespace lockstep

#endif
