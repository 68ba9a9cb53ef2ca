// Numbers at settings of their own: MeasurementPlan.
#include "app/engine/cuda_measurements.hpp"
#include "experiments.hpp"

namespace lockstep {
namespace {

class MeasurementExperiment final : public Experiment {
 public:
  void prepare(Purpose purpose, Request& request) const override {
    if (purpose == Purpose::bench) request.trace = true;  // wavefronts explain the cycles
  }
  Status measure([[maybe_unused]] const ExperimentPlan& plan, [[maybe_unused]] const RungRef& found,
                 [[maybe_unused]] Run& run) override {
#ifdef LOCKSTEP_HAS_CUDA
    if (!on_gpu_) on_gpu_ = make_gpu_measurements();
    return on_gpu_->measure(static_cast<const MeasurementPlan&>(plan), found, run);
#else
    return Unit{};
#endif
  }
  bool replaces_time() const override { return true; }

 private:
  std::unique_ptr<GpuMeasurements> on_gpu_;
};

}  // namespace

std::unique_ptr<Experiment> make_measurement_experiment() {
  return std::make_unique<MeasurementExperiment>();
}

}  // namespace lockstep
