// What every rung of this ladder is launched with.
#pragma once
#include "kernels/lab.cuh"

struct Settings {
  int width, height, depth;  // of the problem, elements
  Extents block;             // threads
  int blocks;                // of the grid-stride loop's grid
};
