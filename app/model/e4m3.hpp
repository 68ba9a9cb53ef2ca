// FP8 with a sign, 4 bits of exponent (bias 7) and 3 of fraction: "E4M3" of the OCP 8-bit Floating Point
// Specification. It has no infinities; 0x7f and 0xff are its only NaNs, 448 is its largest number.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace lockstep {

inline double value_of_e4m3(std::uint8_t bits) {
  const int exponent = bits >> 3 & 15, fraction = bits & 7;
  if ((bits & 0x7f) == 0x7f) return std::numeric_limits<double>::quiet_NaN();
  const double size = exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, exponent - 10);
  return bits & 0x80 ? -size : size;
}

// The nearest one, of two equally near ones that with an even fraction; what is too large becomes the
// largest.
inline std::uint8_t nearest_e4m3(double x) {
  constexpr int kNaN = 0x7f, kLargest = 0x7e, kLeastExponent = -6;
  const int sign = std::signbit(x) ? 0x80 : 0;
  if (std::isnan(x)) return std::uint8_t(sign | kNaN);
  const double size = std::min(std::abs(x), 448.0);
  const int exponent = size == 0 ? kLeastExponent : std::max(std::ilogb(size), kLeastExponent);
  const int eighths = int(std::nearbyint(std::ldexp(size, 3 - exponent)));  // 8 .. 16, of small ones 0 .. 8
  return std::uint8_t(sign | std::min(eighths + (exponent - kLeastExponent) * 8, kLargest));
}

}  // namespace lockstep
