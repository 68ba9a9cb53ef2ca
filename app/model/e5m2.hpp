// FP8 with a sign, 5 bits of exponent (bias 15) and 2 of fraction: "E5M2" of the OCP 8-bit Floating Point
// Specification: the upper half of fp16, with its infinities (0x7c, 0xfc) and NaNs. 57344 is its largest
// number.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace lockstep {

inline double value_of_e5m2(std::uint8_t bits) {
  const int exponent = bits >> 2 & 31, fraction = bits & 3;
  double size = exponent == 0 ? std::ldexp(fraction, -16) : std::ldexp(4 + fraction, exponent - 17);
  if (exponent == 31)
    size = fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  return bits & 0x80 ? -size : size;
}

// The nearest number, of two equally near ones that with an even fraction; what is too large becomes the
// largest.
inline std::uint8_t nearest_e5m2(double x) {
  constexpr int kNaN = 0x7f, kLargest = 0x7b, kLeastExponent = -14;
  const int sign = std::signbit(x) ? 0x80 : 0;
  if (std::isnan(x)) return kNaN;
  const double size = std::min(std::abs(x), 57344.0);
  const int exponent = size == 0 ? kLeastExponent : std::max(std::ilogb(size), kLeastExponent);
  const int quarters = int(std::nearbyint(std::ldexp(size, 2 - exponent)));  // 4 .. 8, of small ones 0 .. 4
  return std::uint8_t(sign | std::min(quarters + (exponent - kLeastExponent) * 4, kLargest));
}

}  // namespace lockstep
