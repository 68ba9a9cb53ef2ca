// dependents.cuh on the emulator, where a launch begins when the one before has ended. Included by it alone.
#pragma once
#include "kernels/lab.cuh"

namespace lab {

inline void launch_dependents(int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
  detail::record(At(0, line, file), 0, 0, 0, lockstep::Kind::launch_dependents);
}
inline void wait_prerequisites(int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
  detail::record(At(0, line, file), 0, 0, 0, lockstep::Kind::await_prerequisites);
}

}  // namespace lab
