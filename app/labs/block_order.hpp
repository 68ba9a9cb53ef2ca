// Where blocks work, by their numbers: in that order they are handed out.
#pragma once
#include <cstdint>
#include <vector>

#include "app/model/progress.hpp"
#include "app/model/run.hpp"

namespace lockstep {

// The parts of the view that the blocks after the followed one write, or read where nobody writes it; as far
// as the run knows who touched what, and `most` at most. Elements that several blocks read count for the
// first of them.
std::vector<Region> parts_of_next_blocks(const Run& run, const ViewInfo& view, int most);

}  // namespace lockstep
