// The models by name, for expressions: wavefronts(stride, width), occupancy(threads, registers, shared_bytes,
// device), resident_warps(...), resident_blocks(...) of the same, roofline(flop, bytes, device), spec(device,
// figure), ridge(device), counted_flop(operation, n), counted_bytes(operation, n) of FP16
// elements and counted(operation, n, kind), "additions" or another kind of work.
#pragma once
#include <span>

#include "app/model/expression.hpp"

namespace lockstep {

std::span<const ExpressionFunction> model_functions();

}  // namespace lockstep
