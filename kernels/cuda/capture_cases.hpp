// What a stream capture takes and what it refuses: each case is tried on this machine's GPU, and the way out
// as well.
#pragma once
#include <vector>

#include "kernels/cuda/pipeline.hpp"

namespace lockstep::cuda {

// In this order: growing_cache, synchronize, allocate, branch, loop, lengths. Errors are the runtime's own; a
// way out that this CUDA does not have (conditional nodes: a driver, 12040 or later, and a toolkit of 12.4)
// is cudaErrorNotSupported. None of them leaves the device in error.
std::vector<CaptureCase> try_capture_cases(int driver_version);

}  // namespace lockstep::cuda
