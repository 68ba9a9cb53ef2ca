// How the reader of run files reports a fault: thrown inside, turned into an Error at the boundary
// (run_file.cpp).
#pragma once
#include <stdexcept>
#include <string>

namespace lockstep {

struct DamagedFile : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void require(bool condition, const char* what) {
  if (!condition) throw DamagedFile(what);
}
inline void require(bool condition, const std::string& what) {
  if (!condition) throw DamagedFile(what);
}

}  // namespace lockstep
