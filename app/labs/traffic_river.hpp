// The river of the followed block: HBM, L2, L1, shared memory where the rung uses it, registers.
#pragma once
#include <string>

#include "app/draw/river.hpp"
#include "app/model/progress.hpp"

namespace lockstep {

struct RiverUse {
  bool shared = false;  // the rung keeps something in shared memory
  bool boxes = false;   // that comes in boxes, past the L1
  std::string shared_note, registers_note;
};
// Bytes so far and of this step; between SM and HBM the sectors that the cache models let travel.
River traffic_river(const Traffic& until, const Traffic& now, const RiverUse& use, const std::string& block);

}  // namespace lockstep
