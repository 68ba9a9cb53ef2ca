// The vendor's matrix product, to compare with. Loaded when it is asked for: the program runs without it.
#pragma once
#include <functional>

#include "app/model/result.hpp"
#include "kernels/cuda/launcher.cuh"

namespace lockstep::cuda {

// What launches C = A B for the buffers a, b, c of the gemm ladder (parameters m, n, k; row by row; fp32
// without TF32, or bf16 in and fp32 out, as the size of `a` says). Exit::unavailable without the library.
Result<std::function<bool()>> cublas_product(const lab::DeviceBinding& binding);

}  // namespace lockstep::cuda
