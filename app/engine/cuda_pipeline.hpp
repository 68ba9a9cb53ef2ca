// The kernels of a ladder with nodes, launched by streams and as graphs on this machine's GPU.
#pragma once
#include "kernels/experiments.hpp"
#include "rung_lookup.hpp"

namespace lockstep {

// Adds to the run's evidence what was measured (app/model/pipeline.hpp). Without CUDA this is not called.
Status add_pipeline(Run& run, const RungRef& found, const PipelinePlan& plan);

}  // namespace lockstep
