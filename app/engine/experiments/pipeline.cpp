// Kernels that wait for one another, launched by streams and as a graph: PipelinePlan.
#include "app/engine/cuda_pipeline.hpp"
#include "app/model/pipeline_evidence.hpp"
#include "experiments.hpp"

namespace lockstep {
namespace {

class PipelineExperiment final : public Experiment {
 public:
  void prepare(Purpose purpose, Request& request) const override {
    if (purpose == Purpose::record_times) request.trace = false;  // the record tells all that is shown
  }
  Status measure([[maybe_unused]] const ExperimentPlan& plan, [[maybe_unused]] const RungRef& found,
                 [[maybe_unused]] Run& run) override {
#ifdef LOCKSTEP_HAS_CUDA
    return add_pipeline(run, found, static_cast<const PipelinePlan&>(plan));
#else
    return Unit{};
#endif
  }
  bool replaces_time() const override { return true; }
  bool keeps_ranges() const override { return true; }
  void complete(const ExperimentPlan& plan, const Ladder&, Engine*, Run& run) const override {
    if (costs_of(run)) return;  // the run's own models rest on the costs that were measured
    put_known(run, static_cast<const PipelinePlan&>(plan).known(run.request.params));
  }
};

}  // namespace

std::unique_ptr<Experiment> make_pipeline_experiment() { return std::make_unique<PipelineExperiment>(); }

}  // namespace lockstep
