// What sorting a graph's edges by their targets costs at least, by a model: the bytes of a radix sort over
// the rate of the GPU's memory. Nothing of it was measured: a real sort counts digits and launches kernels as
// well, and a short list of edges stays in the L2.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "app/model/run.hpp"

namespace lockstep {

struct SortCost {
  int passes = 0;      // of 8 bits of the target's number each
  double bytes = 0;    // 4 of the target and 4 of the source per edge and pass, read and written
  std::string device;  // the GPU's word; "" where none is known here
  double ms = 0;       // at that one's data sheet rate
};

// `edges` and `nodes` as the run's settings say. The GPU: that of the run's time, else the run's own.
SortCost sort_cost(const Run& run, double edges, std::int64_t nodes);
int sort_passes(std::int64_t nodes);

}  // namespace lockstep
