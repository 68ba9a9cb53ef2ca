// fp16 and bf16 under CUDA's names, for emulated kernels. Every operation rounds once, to nearest even, as
// the hardware does; a NaN result is 0x7fff. Sums, products, quotients of two such numbers are computed in
// float or double, which has more than twice their digits, so that rounding twice gives the same; a fused
// multiply-add is computed exactly and keeps a sticky bit.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "host_vectors.hpp"

namespace lab {
namespace detail {

// Rounds a double to a binary format of `kDigits` significand bits (hidden one included) and `kExponentBits`.
template <int kDigits, int kExponentBits>
std::uint16_t narrow(double x) {
  constexpr int kBias = (1 << (kExponentBits - 1)) - 1,
                kLeast = 1 - kBias;  // exponent of the smallest normal number
  constexpr std::uint16_t kInfinity = std::uint16_t(((1 << kExponentBits) - 1) << (kDigits - 1));
  if (std::isnan(x)) return 0x7fff;
  const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  x = std::abs(x);
  if (x == 0) return sign;
  if (std::isinf(x)) return std::uint16_t(sign | kInfinity);
  const int exponent = std::max(std::ilogb(x), kLeast);
  const double units = std::scalbn(x, kDigits - 1 - exponent);  // of the last place
  double whole = std::floor(units);
  const double rest = units - whole;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2) == 1)) whole += 1;
  const auto bits = std::int64_t(whole) + (std::int64_t(exponent - kLeast) << (kDigits - 1));
  return std::uint16_t(sign | std::min<std::int64_t>(bits, kInfinity));
}

template <int kDigits, int kExponentBits>
double widen(std::uint16_t bits) {
  constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  const int exponent = bits >> (kDigits - 1) & ((1 << kExponentBits) - 1),
            fraction = bits & ((1 << (kDigits - 1)) - 1);
  double x;
  if (exponent == (1 << kExponentBits) - 1)
    x = fraction ? NAN : INFINITY;
  else if (exponent == 0)
    x = std::scalbn(fraction, 2 - kBias - kDigits);
  else
    x = std::scalbn(fraction + (1 << (kDigits - 1)), exponent - kBias - (kDigits - 1));
  return bits & 0x8000 ? -x : x;
}

// a * b + c for a * b exact in double: the sum rounded to odd, so that rounding it once more is right.
inline double sum_to_odd(double product, double c) {
  const double sum = product + c;
  if (!std::isfinite(sum)) return sum;
  const double b = sum - product, error = (product - (sum - b)) + (c - b);  // 2Sum, exact
  auto bits = std::bit_cast<std::int64_t>(sum);
  if (error == 0 || (bits & 1)) return sum;
  return std::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

template <int kDigits, int kExponentBits>
struct Narrow {
  std::uint16_t bits = 0;
  Narrow() = default;
  Narrow(double x) : bits(narrow<kDigits, kExponentBits>(x)) {}
  Narrow(float x) : bits(narrow<kDigits, kExponentBits>(x)) {}
  Narrow(int x) : bits(narrow<kDigits, kExponentBits>(x)) {}
  static Narrow of_bits(std::uint16_t bits) {
    Narrow x;
    x.bits = bits;
    return x;
  }
  double wide() const { return widen<kDigits, kExponentBits>(bits); }
  operator float() const { return float(wide()); }
  friend Narrow operator+(Narrow a, Narrow b) { return a.wide() + b.wide(); }
  friend Narrow operator-(Narrow a, Narrow b) { return a.wide() - b.wide(); }
  friend Narrow operator*(Narrow a, Narrow b) { return a.wide() * b.wide(); }
  friend Narrow operator/(Narrow a, Narrow b) { return a.wide() / b.wide(); }
  Narrow operator-() const { return of_bits(std::uint16_t(bits ^ 0x8000)); }
  friend bool operator==(Narrow a, Narrow b) { return a.wide() == b.wide(); }
  friend bool operator<(Narrow a, Narrow b) { return a.wide() < b.wide(); }
  friend bool operator>(Narrow a, Narrow b) { return a.wide() > b.wide(); }
  friend bool operator<=(Narrow a, Narrow b) { return a.wide() <= b.wide(); }
  friend bool operator>=(Narrow a, Narrow b) { return a.wide() >= b.wide(); }
};
template <class T>
struct alignas(4) Pair {
  T x, y;
};

}  // namespace detail

using __half = detail::Narrow<11, 5>;
using __nv_bfloat16 = detail::Narrow<8, 8>;
using half = __half;
using nv_bfloat16 = __nv_bfloat16;
using __half2 = detail::Pair<__half>;
using __nv_bfloat162 = detail::Pair<__nv_bfloat16>;
using half2 = __half2;
using nv_bfloat162 = __nv_bfloat162;

inline __half __float2half(float x) { return x; }
inline __half __float2half_rn(float x) { return x; }
inline __half __double2half(double x) { return x; }
inline float __half2float(__half x) { return x; }
inline __half __ushort_as_half(unsigned short bits) { return __half::of_bits(bits); }
inline unsigned short __half_as_ushort(__half x) { return x.bits; }
inline __nv_bfloat16 __float2bfloat16(float x) { return x; }
inline __nv_bfloat16 __float2bfloat16_rn(float x) { return x; }
inline __nv_bfloat16 __double2bfloat16(double x) { return x; }
inline float __bfloat162float(__nv_bfloat16 x) { return x; }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __nv_bfloat16::of_bits(bits); }
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.bits; }

#define LAB_NARROW(T, T2)                                                                      \
  inline T __hadd(T a, T b) { return a + b; }                                                  \
  inline T __hsub(T a, T b) { return a - b; }                                                  \
  inline T __hmul(T a, T b) { return a * b; }                                                  \
  inline T __hdiv(T a, T b) { return a / b; }                                                  \
  inline T __hfma(T a, T b, T c) { return detail::sum_to_odd(a.wide() * b.wide(), c.wide()); } \
  inline T __hneg(T a) { return -a; }                                                          \
  inline T __habs(T a) { return T::of_bits(a.bits & 0x7fff); }                                 \
  inline bool __hisnan(T a) { return std::isnan(a.wide()); }                                   \
  inline bool __heq(T a, T b) { return a == b; }                                               \
  inline bool __hne(T a, T b) { return !__hisnan(a) && !__hisnan(b) && !(a == b); }            \
  inline bool __hlt(T a, T b) { return a < b; }                                                \
  inline bool __hle(T a, T b) { return a <= b; }                                               \
  inline bool __hgt(T a, T b) { return a > b; }                                                \
  inline bool __hge(T a, T b) { return a >= b; }                                               \
  /* the number where one is a NaN; +0 above -0 */                                             \
  inline T __hmax(T a, T b) {                                                                  \
    if (__hisnan(a)) return __hisnan(b) ? T::of_bits(0x7fff) : b;                              \
    if (__hisnan(b) || a > b) return a;                                                        \
    return a < b || (a.bits & 0x8000) ? b : a;                                                 \
  }                                                                                            \
  inline T __hmin(T a, T b) {                                                                  \
    if (__hisnan(a)) return __hisnan(b) ? T::of_bits(0x7fff) : b;                              \
    if (__hisnan(b) || a < b) return a;                                                        \
    return a > b || !(a.bits & 0x8000) ? b : a;                                                \
  }                                                                                            \
  inline T2 __hadd2(T2 a, T2 b) { return {a.x + b.x, a.y + b.y}; }                             \
  inline T2 __hsub2(T2 a, T2 b) { return {a.x - b.x, a.y - b.y}; }                             \
  inline T2 __hmul2(T2 a, T2 b) { return {a.x * b.x, a.y * b.y}; }                             \
  inline T2 __hfma2(T2 a, T2 b, T2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
LAB_NARROW(__half, __half2)
LAB_NARROW(__nv_bfloat16, __nv_bfloat162)
#undef LAB_NARROW

inline __half2 __halves2half2(__half a, __half b) { return {a, b}; }
inline __half2 __floats2half2_rn(float a, float b) { return {a, b}; }
inline __half __low2half(__half2 a) { return a.x; }
inline __half __high2half(__half2 a) { return a.y; }
inline float2 __half22float2(__half2 a) { return {a.x, a.y}; }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {a, b}; }
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
inline float2 __bfloat1622float2(__nv_bfloat162 a) { return {a.x, a.y}; }

}  // namespace lab
