// Names of functions in this program.
#pragma once
#include <string>

namespace lockstep {

// "void lab::gemm<16>(float const*)" of the function at this address; "" where the program does not export
// its name.
std::string function_name(const void* function);

}  // namespace lockstep
