// What every rung of this ladder is launched with.
#pragma once
#include "kernels/lab.cuh"
#include "kernels/occupancy/sizes.hpp"

struct Settings {
  int elements;       // copied, a multiple of 4; threads of the products
  int steps;          // of the products
  int threads;        // per block
  long shared_bytes;  // dynamic, per block: not used, but limits the blocks
};
