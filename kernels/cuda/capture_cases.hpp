// What a stream capture takes and what it refuses: each case is tried on this machine's GPU, and the way out
// as well.
#pragma once
#include <vector>

#include "kernels/cuda/pipeline.hpp"

namespace lockstep::cuda {

// In this order: growing_cache, synchronize, allocate, branch, lengths. Errors are the runtime's own; a way
// out that this CUDA does not have (conditional nodes before 12.4) has the error that the runtime gives, or
// cudaErrorNotSupported where the program was built without it. None of them leaves the device in error.
std::vector<CaptureCase> try_capture_cases();

}  // namespace lockstep::cuda
