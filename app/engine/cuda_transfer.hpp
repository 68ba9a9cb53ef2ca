// A ladder's copies and kernels on this machine's GPU, on memory of the kinds that its buffers name.
#pragma once
#include "kernels/experiments.hpp"
#include "rung_lookup.hpp"

namespace lockstep {

// Adds to the run's evidence what was measured (app/model/transfer_evidence.hpp). Without CUDA this is not
// called.
Status add_transfer(Run& run, const RungRef& found, const TransferPlan& plan);

}  // namespace lockstep
