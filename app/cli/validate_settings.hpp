// At which settings rungs are validated: the ladder's fixed ones, and some that are drawn from a seed.
#pragma once
#include <cstdint>
#include <vector>

#include "app/model/run.hpp"

namespace lockstep {

struct Ladder;

// What one rung is small enough for: the emulator, the sanitizers and the profiler's several passes.
constexpr std::uint64_t kMaxDrawnBytes = 16 << 20;
constexpr double kMaxDrawnAccesses = 2e6, kMaxDrawnFlops = 4e7;
constexpr std::size_t kMaxDrawnLaunches = 64;

// Complete legal parameters, whole numbers by their logarithm, so that small and odd ones come as often as
// large ones. The same seed draws the same settings for a rung whichever others there are; fewer than asked
// for where the rung has no more that are small enough. None is in `taken`.
std::vector<Params> drawn_settings(const Ladder& ladder, const RungInfo& rung, int count, std::uint64_t seed,
                                   const std::vector<Params>& taken);

}  // namespace lockstep
