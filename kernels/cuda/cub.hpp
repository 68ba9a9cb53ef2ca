// The vendor's reduction and scan, to compare with. Its headers come with CUDA's compiler: it is always
// there.
#pragma once
#include <functional>

#include "app/model/result.hpp"
#include "kernels/cuda/launcher.cuh"

namespace lockstep::cuda {

// What launches cub::DeviceReduce for the floats of the first buffer (parameters n, operation: "sum" or
// "max"). Its result and its own memory lie apart from the buffers. Exit::unavailable where the GPU has no
// room for them.
Result<std::function<bool()>> cub_reduction(const lab::DeviceBinding& binding);
// cub::DeviceScan, inclusive sums, for the ints of the first buffer (parameter n); likewise.
Result<std::function<bool()>> cub_scan(const lab::DeviceBinding& binding);

}  // namespace lockstep::cuda
