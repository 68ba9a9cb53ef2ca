// What the recordings of a lab say together: CurvesPlan.
#include "app/model/recorded_beside.hpp"
#include "experiments.hpp"

namespace lockstep {
namespace {

// All that was recorded of the ladder on the first device that there is.
std::vector<Run> recordings_of(const Ladder& ladder, Engine* recording) {
  std::vector<Run> recordings;
  if (!recording) return recordings;
  for (const RungInfo& rung : ladder.info.rungs)
    for (Run& one : recording->recorded(ladder.info.slug, rung.slug))
      if (recordings.empty() || one.device.name == recordings.front().device.name)
        recordings.push_back(std::move(one));
  return recordings;
}

class CurvesExperiment final : public Experiment {
 public:
  void complete(const ExperimentPlan& plan, const Ladder& ladder, Engine* recording,
                Run& run) const override {
    const auto recordings = recordings_of(ladder, recording);
    if (recordings.empty()) return;
    run.evidence.put(static_cast<const CurvesPlan&>(plan).curves(recordings));
    run.provenance["metrics.curve"] = recorded_as(recordings.front());
  }
};

}  // namespace

std::unique_ptr<Experiment> make_curves_experiment() { return std::make_unique<CurvesExperiment>(); }

}  // namespace lockstep
