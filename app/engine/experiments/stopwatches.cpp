// Several stopwatches around the same launches: StopwatchPlan.
#include "app/engine/cuda_stopwatches.hpp"
#include "experiments.hpp"

namespace lockstep {
namespace {

class StopwatchExperiment final : public Experiment {
 public:
  Status measure([[maybe_unused]] const ExperimentPlan& plan, [[maybe_unused]] const RungRef& found,
                 [[maybe_unused]] Run& run) override {
#ifdef LOCKSTEP_HAS_CUDA
    return add_stopwatches(run, found, static_cast<const StopwatchPlan&>(plan));
#else
    return Unit{};
#endif
  }
  bool keeps_ranges() const override { return true; }
};

}  // namespace

std::unique_ptr<Experiment> make_stopwatch_experiment() { return std::make_unique<StopwatchExperiment>(); }

}  // namespace lockstep
