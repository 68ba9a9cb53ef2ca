// What the driver says of a launch. Apart from what rungs include: those are compiled many times.
#pragma once
#include <string>

#include "app/model/run.hpp"
#include "kernels/extents.hpp"

namespace lab {

// One launch with what the driver says of it.
struct LaunchFacts {
  std::string name;
  Extents grid, block;
  long dynamic_shared_bytes = 0;
  lockstep::Occupancy occupancy;
  const void* kernel = nullptr;
};

}  // namespace lab
