// The places in a program that a block's warps come to, in one order: steps that are the block's and not one
// warp's.
#pragma once
#include <cstdint>
#include <vector>

#include "issue.hpp"

namespace lockstep {

// An instruction that at least one warp issues. Of each warp, which of its steps that is; -1 where none of
// its lanes comes here.
struct ProgramPlace {
  std::uint16_t file = 0, line = 0, view = 0;
  Kind kind = Kind::load;
  std::uint32_t pass = 0;  // of the loop that it stands in, from 0
  std::vector<int> of_warp;
};

// Each warp's instructions keep their order; between two that no warp has both of, by iteration and line.
std::vector<ProgramPlace> program_places(const std::vector<WarpIssue>& warps);

}  // namespace lockstep
