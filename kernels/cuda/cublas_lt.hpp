// The vendor's product of 8-bit numbers, to compare with. Loaded when it is asked for, as cublas.hpp.
#pragma once
#include <functional>

#include "app/model/result.hpp"
#include "kernels/cuda/launcher.cuh"

namespace lockstep::cuda {

// What launches C = A B for the buffers a (m x k), b (n x k) of e4m3 and c (m x n) of fp32 of the gemm
// ladder, with "fast accumulation": the sums stay in the tensor cores. Of the first algorithms that the
// library's heuristic names it is the one that was fastest just now. Exit::unavailable without the library.
Result<std::function<bool()>> cublas_lt_product(const lab::DeviceBinding& binding);

}  // namespace lockstep::cuda
