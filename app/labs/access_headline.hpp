// The large numbers of a step that is one access of a warp: what it took, and what would do.
#pragma once
#include <vector>

#include "app/draw/head_figures.hpp"
#include "app/model/memory_axis.hpp"
#include "app/model/run.hpp"

namespace lockstep {

// Of shared memory its wavefronts, of global memory its sectors; of a barrier, that nothing moves.
std::vector<HeadFigure> access_figures(const Run& run, const Step& step);

}  // namespace lockstep
