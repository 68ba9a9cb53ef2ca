// In how many turns one access of a warp is served, and which of them brings each lane its words.
#pragma once
#include <array>

#include "app/model/memory_axis.hpp"

namespace lockstep {

// The turns of an access: wavefronts in shared memory, sectors in global memory.
struct Turns {
  std::array<int, kWarpSize> of_lane{};  // of the active ones
  int count = 1;
};
Turns turns_of(const Step& step);

}  // namespace lockstep
