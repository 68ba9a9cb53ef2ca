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

// The shortest time that arithmetic and transfer allow: they overlap wholly (lower) or not at all (upper, at
// most twice the lower).
struct TimeBounds {
  double math_s = 0, memory_s = 0;
  double lower_s() const { return std::max(math_s, memory_s); }
  double upper_s() const { return math_s + memory_s; }
};
inline TimeBounds time_bounds(double flop, double bytes, double peak, double bandwidth) {
  return {flop / peak, bytes / bandwidth};
}

// C[m,n] = A[m,k] B[k,n], each matrix moved once: 2mnk FLOP.
double product_intensity(double m, double n, double k, double element_bytes);

}  // namespace lockstep
