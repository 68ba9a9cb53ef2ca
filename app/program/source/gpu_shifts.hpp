// Shifts by as many bits as a number has, or more: C++ leaves them undefined, this machine's processor shifts
// by the amount's low bits, and a GPU's compiler and its instructions shift everything out. Programs that
// pack bits count on the last: `x << (32 - bit)` with bit 0.
#pragma once
#include <string>
#include <string_view>

namespace lockstep::reader {

// LLVM's text, before it is optimised, where every shift of one number by an amount that is not a constant
// gives what PTX's shl and shr give (PTX ISA, "Logic and Shift Instructions": amounts beyond the width are
// clamped to it).
std::string with_gpu_shifts(std::string_view text);

}  // namespace lockstep::reader
