// What HBM must at the least give the followed block and take from it: each sector that the block touches
// once, as from empty caches that lose nothing. A count, not a model: no cache does with less.
#pragma once
#include <cstdint>
#include <vector>

#include "memory_axis.hpp"

namespace lockstep {

struct CompulsoryBytes {
  std::int64_t load = 0, store = 0;
};

class CompulsoryTraffic {
 public:
  explicit CompulsoryTraffic(const AccessAxis& axis);

  // Steps 0 .. step, `step` included; step = -1 gives nothing.
  CompulsoryBytes until(int step) const;
  CompulsoryBytes of(int step) const;  // of this step alone

 private:
  std::vector<CompulsoryBytes> until_;  // by step
};

}  // namespace lockstep
