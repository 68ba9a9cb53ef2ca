#include "experiments.hpp"

#include <algorithm>

namespace lockstep {
namespace {

struct Maker {
  std::string_view name;  // ExperimentPlan::experiment()
  std::unique_ptr<Experiment> (*make)();
};
constexpr Maker kMakers[] = {{"pipeline", make_pipeline_experiment},
                             {"operations", make_transfer_experiment},
                             {"stopwatches", make_stopwatch_experiment},
                             {"measurements", make_measurement_experiment},
                             {"sm", make_sm_experiment},
                             {"occupancy", make_occupancy_experiment},
                             {"placement", make_placement_experiment},
                             {"curves", make_curves_experiment},
                             {"step_times", make_step_times_experiment}};

template <class F>
void for_each_experiment(const Ladder& ladder, F&& f) {
  for (const auto& plan : ladder.experiments)
    if (const auto experiment = make_experiment(plan->experiment())) f(*experiment, *plan);
}

}  // namespace

std::unique_ptr<Experiment> make_experiment(std::string_view name) {
  for (const Maker& maker : kMakers)
    if (maker.name == name) return maker.make();
  return nullptr;
}

Status ExperimentsAtHand::measure(const RungRef& found, Run& run) {
  for (const auto& plan : found.ladder->experiments) {
    auto at = made_.find(plan->experiment());
    if (at == made_.end()) at = made_.emplace(plan->experiment(), make_experiment(plan->experiment())).first;
    if (!at->second) continue;
    if (Status measured = at->second->measure(*plan, found, run); !measured) return measured;
  }
  return Unit{};
}

void prepare_for(Purpose purpose, const Ladder& ladder, Request& request) {
  for_each_experiment(ladder, [&](const Experiment& experiment, const ExperimentPlan&) {
    experiment.prepare(purpose, request);
  });
}

void complete_experiments(const Ladder& ladder, Engine* recording, Run& run) {
  for_each_experiment(ladder, [&](const Experiment& experiment, const ExperimentPlan& plan) {
    experiment.complete(plan, ladder, recording, run);
  });
}

bool replaces_time(const Ladder& ladder) {
  bool replaced = false;
  for_each_experiment(ladder, [&](const Experiment& experiment, const ExperimentPlan&) {
    replaced |= experiment.replaces_time();
  });
  return replaced;
}

bool keeps_ranges(const Ladder& ladder) {
  bool kept = false;
  for_each_experiment(ladder, [&](const Experiment& experiment, const ExperimentPlan&) {
    kept |= experiment.keeps_ranges();
  });
  return kept;
}

void put_known(Run& run, const KnownFigures& known) {
  Metrics figures;
  for (const auto& [name, figure] : known) {
    figures[name] = figure.value;
    run.provenance["metrics." + name] = figure.provenance;
  }
  run.evidence.merge(figures);
}

}  // namespace lockstep
