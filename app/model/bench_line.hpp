// What `lockstep bench emulator|ui` measures, and how a line of it reads.
#pragma once
#include <string>

namespace lockstep {

struct BenchLine {
  std::string name, unit;
  double value = 0;
  std::string note;
};

}  // namespace lockstep
