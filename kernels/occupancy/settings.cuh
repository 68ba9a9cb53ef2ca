// What every rung of this ladder is launched with.
#pragma once
#include "kernels/lab.cuh"
#include "kernels/occupancy/sizes.hpp"

struct Settings {
  int elements;                  // of the copies, a multiple of 4; of the products: threads in all
  int steps;                     // of the products
  int threads;                   // per block
  long shared_bytes;             // dynamic, per block: asked for and not used, so that they limit the blocks per SM
};
