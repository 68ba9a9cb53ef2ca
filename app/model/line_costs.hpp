// What each source line cost the followed block: the same over the whole run, whatever step is on the stage.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "run.hpp"

namespace lockstep {

struct LineCost {
  std::int64_t times = 0;       // warp instructions that move data; an asynchronous copy is one
  std::int64_t sectors = 0;     // of 32 bytes, as the warps asked their L1 for them
  std::int64_t wavefronts = 0;  // of loads from and stores to shared memory
  // Above the fewest that these lanes and this width could take at any addresses, summed by instruction.
  std::int64_t sectors_above = 0, wavefronts_above = 0;
  LineCost& operator+=(const LineCost& more);
  bool operator==(const LineCost&) const = default;
};

struct WarpInstruction;
// Of one that moves data.
LineCost cost_of(const WarpInstruction& instruction);

struct LineCosts {
  std::map<std::uint16_t, std::map<int, LineCost>>
      files;              // by the id that the run has for it (source_id) and line
  int launches = 0;       // that left events
  int first_launch = -1;  // of them
  bool complete = true;   // no event of theirs was dropped
  // Of a file; none where its lines moved no data.
  const std::map<int, LineCost>& of(std::uint16_t file) const;
};

// Of the followed blocks of all launches. Atomics on shared memory count in `times` alone: how many
// wavefronts they take was never fitted, and Counts leaves them out as well.
LineCosts line_costs(const std::vector<Launch>& launches);

}  // namespace lockstep
