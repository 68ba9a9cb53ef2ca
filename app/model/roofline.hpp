// The roofline: how fast a kernel of a given arithmetic intensity can be (Williams, Waterman, Patterson
// 2009). FLOP per second, bytes per second, FLOP per byte.
#pragma once
#include <algorithm>

namespace lockstep {

// The intensity from which on arithmetic limits and not the memory.
inline double ridge(double peak, double bandwidth) { return peak / bandwidth; }

inline double attainable(double peak, double bandwidth, double intensity) {
  return std::min(peak, bandwidth * intensity);
}

}  // namespace lockstep
