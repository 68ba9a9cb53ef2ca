// The arithmetic of a kernel's steps, which no trace has.
#pragma once
#include <cstdint>

namespace lockstep {

// Instructions of a lane in a step that the kernel names (begin_step), as its source says: maxima, powers of
// two, multiply-adds (or multiplications, additions), pairs of numbers that go into one register.
struct StepArithmetic {
  std::uint16_t name = 0;  // name_id()
  int minmax = 0, special = 0, fma = 0, pack = 0;
  bool ahead = false;  // stands in the source before the step begins
};

}  // namespace lockstep
