// Where a stamped kernel puts its notes.
#pragma once
#include "app/model/step_times.hpp"

namespace lockstep::cuda {

// In constant memory while the kernel runs. The notes of a warp end before the first one that has kNoNote.
struct StampState {
  StepNote* notes = nullptr;  // [warps of the block][capacity]
  unsigned capacity = 0;
  unsigned long long block = 0;  // that notes down, linear
};
constexpr std::uint8_t kNoNote = 0xff;  // StepNote::unused

}  // namespace lockstep::cuda
