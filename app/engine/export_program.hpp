// A rung as a program of its own: plain CUDA that nvcc compiles alone, with inputs, a check and timing.
#pragma once
#include <string>

#include "app/model/run.hpp"

namespace lockstep {

// The kernels that the rung launches at the request's settings, as its launcher says, and of everything else
// what they and the ladder's own fill and check use. `command` is what made it, for its first lines.
Result<std::string> exported_program(const Request& request, const std::string& command);

}  // namespace lockstep
