// The makers of the experiments, for their table.
#pragma once
#include "app/engine/experiment.hpp"

namespace lockstep {

std::unique_ptr<Experiment> make_pipeline_experiment();
std::unique_ptr<Experiment> make_transfer_experiment();
std::unique_ptr<Experiment> make_stopwatch_experiment();
std::unique_ptr<Experiment> make_measurement_experiment();
std::unique_ptr<Experiment> make_sm_experiment();
std::unique_ptr<Experiment> make_occupancy_experiment();
std::unique_ptr<Experiment> make_placement_experiment();
std::unique_ptr<Experiment> make_curves_experiment();
std::unique_ptr<Experiment> make_step_times_experiment();

// Figures that stand without a run: each with its own provenance.
void put_known(Run& run, const KnownFigures& known);

}  // namespace lockstep
