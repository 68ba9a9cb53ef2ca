// What the emulator reaches on this machine.
#pragma once
#include <vector>

#include "app/model/bench_line.hpp"

namespace lockstep {

// Traced accesses per second on one core with and without checks, the fold's rate, and a whole run. Takes
// seconds.
std::vector<BenchLine> bench_emulator();

}  // namespace lockstep
