// What several stopwatches say of the same launches on this machine's GPU.
#pragma once
#include "kernels/experiments.hpp"
#include "rung_lookup.hpp"

namespace lockstep {

// Adds to the run's evidence what was measured (app/model/stopwatch.hpp). Without CUDA this is not called.
Status add_stopwatches(Run& run, const RungRef& found, const StopwatchPlan& plan);

}  // namespace lockstep
