// Where a stamped kernel puts its notes.
#pragma once
#include "app/model/step_times.hpp"

namespace lockstep::cuda {

constexpr std::size_t kNotesOfWarp = 1024, kNoteBytes = kNotesOfWarp * sizeof(StepNote);

// In constant memory while the kernel runs. The notes of a warp end before the first one that has kNoNote.
struct StampState {
  StepNote* notes = nullptr;          // [32 warps][kNotesOfWarp], from a multiple of kNoteBytes on
  unsigned block_x = 0, block_y = 0;  // that notes down
  std::uint16_t only = 0;             // not 0: the launch and this step alone
};
constexpr std::uint8_t kNoNote = 0xff;  // StepNote::unused

}  // namespace lockstep::cuda
