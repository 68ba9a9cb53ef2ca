// Copies, prefetches and kernels as a program makes them: TransferPlan.
#include "app/engine/cuda_transfer.hpp"
#include "app/model/transfer_evidence.hpp"
#include "experiments.hpp"
#include "kernels/simt/emulate.hpp"

namespace lockstep {
namespace {

// Only what the model says: what a GPU measured stands beside it.
Metrics modelled_part(const TransferEvidence& evidence) {
  Metrics part;
  for (const auto& [name, value] : evidence.flat())
    if (name.starts_with("models.")) part[name] = value;
  return part;
}

// What was measured and what follows from it, each operation in its turn, also where a recording has it as
// the events said.
void put_in_turn(Run& run) {
  const auto* evidence = run.evidence.find<TransferEvidence>();
  if (!evidence || !evidence->record) return;
  Metrics measured;
  for (const auto& [name, value] : evidence->flat())
    if (!name.starts_with("models.")) measured[name] = value;
  run.evidence.merge(measured);
}

class TransferExperiment final : public Experiment {
 public:
  void prepare(Purpose purpose, Request& request) const override {
    if (purpose == Purpose::record_times) request.trace = false;  // the record tells all that is shown
  }
  Status measure([[maybe_unused]] const ExperimentPlan& plan, [[maybe_unused]] const RungRef& found,
                 [[maybe_unused]] Run& run) override {
#ifdef LOCKSTEP_HAS_CUDA
    return add_transfer(run, found, static_cast<const TransferPlan&>(plan));
#else
    return Unit{};
#endif
  }
  bool replaces_time() const override { return true; }
  void complete(const ExperimentPlan& any, const Ladder& ladder, Engine*, Run& run) const override {
    const auto& plan = static_cast<const TransferPlan&>(any);
    const int rung = ladder.info.rung_index(run.request.rung);
    if (rung < 0) return;
    const RungInfo& info = ladder.info.rungs[std::size_t(rung)];
    if (!simt::has_rung(info)) return;
    const Params params = plan.timed(run.request.params, run.request.rung);
    TransferEvidence evidence;
    evidence.operations = simt::operations_of(ladder, info.file, params);
    const auto [costs, provenance] = plan.costs(run);
    evidence.modelled = modelled_operations(evidence.operations, plan.kernels_us(params), costs);
    run.evidence.merge(modelled_part(evidence));
    put_in_turn(run);
    run.provenance["metrics.models.operations"] = provenance;
  }
};

}  // namespace

std::unique_ptr<Experiment> make_transfer_experiment() { return std::make_unique<TransferExperiment>(); }

}  // namespace lockstep
