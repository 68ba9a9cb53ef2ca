// The large numbers of a step that is one access of a warp: what it took, and what would do.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "app/draw/head_figures.hpp"
#include "app/model/memory_axis.hpp"
#include "app/model/run.hpp"

namespace lockstep {

// Of shared memory its wavefronts, of global memory its sectors; of a barrier, that nothing moves.
std::vector<HeadFigure> access_figures(const Run& run, const Step& step);

// The same numbers by name: sectors, fewest_sectors, wavefronts, fewest_wavefronts, bytes (that the lanes ask
// for), accesses, lanes, line, warp, and of a step that plays one wavefront its number from 1: wavefront. A
// step of several accesses has their sums, with "warp." in front those of the followed warp, and line, lanes
// and warp of its first one.
std::optional<double> access_figure(const AccessAxis& axis, int step, std::int64_t followed_warp,
                                    std::string_view name);

}  // namespace lockstep
