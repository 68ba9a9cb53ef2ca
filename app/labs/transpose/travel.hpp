// Where the words of a lane are, and which store puts down what a load has brought.
#pragma once
#include <cstdint>

#include "app/model/memory_axis.hpp"

namespace lockstep {

// The store of the same warp that puts down, lane by lane, the words that this load brings; nullptr where
// they change places in registers first.
const Step* store_of(const MemoryAxis& steps, int load);

// The 4-byte words of a lane within the view.
struct LaneWords {
  std::uint64_t first = 0;
  int count = 1;
};
LaneWords words_of_lane(const WarpInstruction& i, int lane);

}  // namespace lockstep
