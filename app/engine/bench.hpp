// What `lockstep bench emulator|ui` measures and how a line of it reads.
#pragma once
#include <string>
#include <vector>

namespace lockstep {

struct BenchLine {
  std::string name, unit;
  double value = 0;
  std::string note;
};

// Traced accesses per second on one core with and without checks, the fold's rate, and a whole run. Takes
// seconds.
std::vector<BenchLine> bench_emulator();

}  // namespace lockstep
