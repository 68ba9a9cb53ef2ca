// half and half2: 16-bit numbers, rounded to nearest even after every operation as the GPU's are (CUDA Math API).
#pragma once
#pragma clang system_header
#ifndef LOCKSTEP_DEVICE_H
#include "lockstep_device.h"
#endif

LOCKSTEP_INLINE unsigned short lockstep_half_bits(float x) {
  unsigned bits;
  __builtin_memcpy(&bits, &x, 4);
  const unsigned sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude >= 0x7f800000) return (unsigned short)(sign | (magnitude > 0x7f800000 ? 0x7fff : 0x7c00));
  if (magnitude >= 0x477ff000) return (unsigned short)(sign | 0x7c00);
  if (magnitude < 0x33000001) return (unsigned short)sign;
  int exponent = int(magnitude >> 23) - 127;
  unsigned mantissa = (magnitude & 0x7fffff) | 0x800000;
  int drop = 13;
  unsigned base = unsigned(exponent + 15) << 10;
  if (exponent < -14) drop += -14 - exponent, base = 0;
  else mantissa &= 0x7fffff;
  unsigned kept = mantissa >> drop;
  const unsigned rest = mantissa & ((1u << drop) - 1), middle = 1u << (drop - 1);
  if (rest > middle || (rest == middle && (kept & 1))) ++kept;
  return (unsigned short)(sign | (base + kept));
}
LOCKSTEP_INLINE float lockstep_half_value(unsigned short h) {
  const unsigned sign = unsigned(h & 0x8000) << 16, exponent = h >> 10 & 31, mantissa = h & 0x3ff;
  unsigned bits;
  if (exponent == 31) bits = sign | 0x7f800000 | mantissa << 13;
  else if (exponent) bits = sign | (exponent + 112) << 23 | mantissa << 13;
  else {
    const float tiny = float(mantissa) * 5.9604644775390625e-8f;
    return sign ? -tiny : tiny;
  }
  float x;
  __builtin_memcpy(&x, &bits, 4);
  return x;
}

#define LOCKSTEP_SMALL_FLOAT(Name, to_bits, to_float)                                              \
  struct Name {                                                                                    \
    unsigned short lockstep_bits_;                                                                 \
    Name() = default;                                                                              \
    LOCKSTEP_INLINE Name(float x) : lockstep_bits_(to_bits(x)) {}                                  \
    LOCKSTEP_INLINE Name(double x) : lockstep_bits_(to_bits(float(x))) {}                          \
    LOCKSTEP_INLINE Name(int x) : lockstep_bits_(to_bits(float(x))) {}                             \
    LOCKSTEP_INLINE Name(unsigned x) : lockstep_bits_(to_bits(float(x))) {}                        \
    LOCKSTEP_INLINE Name(long x) : lockstep_bits_(to_bits(float(x))) {}                            \
    LOCKSTEP_INLINE Name(unsigned long x) : lockstep_bits_(to_bits(float(x))) {}                   \
    LOCKSTEP_INLINE Name(short x) : lockstep_bits_(to_bits(float(x))) {}                           \
    LOCKSTEP_INLINE Name(unsigned short x) : lockstep_bits_(to_bits(float(x))) {}                  \
    LOCKSTEP_INLINE operator float() const { return to_float(lockstep_bits_); }                    \
    LOCKSTEP_INLINE Name operator-() const {                                                       \
      Name r;                                                                                      \
      r.lockstep_bits_ = lockstep_bits_ ^ 0x8000;                                                  \
      return r;                                                                                    \
    }                                                                                              \
    LOCKSTEP_INLINE Name& operator+=(Name o) { return *this = Name(float(*this) + float(o)); }     \
    LOCKSTEP_INLINE Name& operator-=(Name o) { return *this = Name(float(*this) - float(o)); }     \
    LOCKSTEP_INLINE Name& operator*=(Name o) { return *this = Name(float(*this) * float(o)); }     \
    LOCKSTEP_INLINE Name& operator/=(Name o) { return *this = Name(float(*this) / float(o)); }     \
  };                                                                                               \
  LOCKSTEP_INLINE Name operator+(Name a, Name b) { return Name(float(a) + float(b)); }             \
  LOCKSTEP_INLINE Name operator-(Name a, Name b) { return Name(float(a) - float(b)); }             \
  LOCKSTEP_INLINE Name operator*(Name a, Name b) { return Name(float(a) * float(b)); }             \
  LOCKSTEP_INLINE Name operator/(Name a, Name b) { return Name(float(a) / float(b)); }             \
  LOCKSTEP_INLINE bool operator==(Name a, Name b) { return float(a) == float(b); }                 \
  LOCKSTEP_INLINE bool operator!=(Name a, Name b) { return float(a) != float(b); }                 \
  LOCKSTEP_INLINE bool operator<(Name a, Name b) { return float(a) < float(b); }                   \
  LOCKSTEP_INLINE bool operator>(Name a, Name b) { return float(a) > float(b); }                   \
  LOCKSTEP_INLINE bool operator<=(Name a, Name b) { return float(a) <= float(b); }                 \
  LOCKSTEP_INLINE bool operator>=(Name a, Name b) { return float(a) >= float(b); }

#define LOCKSTEP_SMALL_PAIR(Pair, Name)                                                            \
  struct alignas(4) Pair {                                                                         \
    union {                                                                                        \
      struct {                                                                                     \
        Name x, y;                                                                                 \
      };                                                                                           \
      unsigned lockstep_all;                                                                       \
    };                                                                                             \
    Pair() = default;                                                                              \
    LOCKSTEP_INLINE Pair(Name a, Name b) {                                                         \
      lockstep_all = unsigned(a.lockstep_bits_) | unsigned(b.lockstep_bits_) << 16;                \
    }                                                                                              \
    LOCKSTEP_INLINE Pair(const Pair& o) : lockstep_all(o.lockstep_all) {}                          \
    LOCKSTEP_INLINE Pair& operator=(const Pair& o) {                                               \
      lockstep_all = o.lockstep_all;                                                               \
      return *this;                                                                                \
    }                                                                                              \
  };                                                                                               \
  LOCKSTEP_INLINE Pair operator+(Pair a, Pair b) { return {a.x + b.x, a.y + b.y}; }                \
  LOCKSTEP_INLINE Pair operator-(Pair a, Pair b) { return {a.x - b.x, a.y - b.y}; }                \
  LOCKSTEP_INLINE Pair operator*(Pair a, Pair b) { return {a.x * b.x, a.y * b.y}; }                \
  LOCKSTEP_INLINE Pair operator/(Pair a, Pair b) { return {a.x / b.x, a.y / b.y}; }                \
  LOCKSTEP_INLINE Pair& operator+=(Pair& a, Pair b) { return a = a + b; }                          \
  LOCKSTEP_INLINE Pair& operator*=(Pair& a, Pair b) { return a = a * b; }                          \
  LOCKSTEP_INLINE bool operator==(Pair a, Pair b) { return a.x == b.x && a.y == b.y; }

// Functions of both types.
#define LOCKSTEP_SMALL_FUNCTIONS(Name, Pair)                                                       \
  LOCKSTEP_INLINE Name __hadd(Name a, Name b) { return a + b; }                                    \
  LOCKSTEP_INLINE Name __hsub(Name a, Name b) { return a - b; }                                    \
  LOCKSTEP_INLINE Name __hmul(Name a, Name b) { return a * b; }                                    \
  LOCKSTEP_INLINE Name __hdiv(Name a, Name b) { return a / b; }                                    \
  LOCKSTEP_INLINE Name __hneg(Name a) { return -a; }                                               \
  LOCKSTEP_INLINE Name __habs(Name a) { return Name(fabsf(float(a))); }                            \
  LOCKSTEP_INLINE Name __hfma(Name a, Name b, Name c) { return Name(float(double(float(a)) * double(float(b)) + double(float(c)))); } \
  LOCKSTEP_INLINE Name __hmax(Name a, Name b) { return a > b ? a : b; }                            \
  LOCKSTEP_INLINE Name __hmin(Name a, Name b) { return a < b ? a : b; }                            \
  LOCKSTEP_INLINE bool __heq(Name a, Name b) { return a == b; }                                    \
  LOCKSTEP_INLINE bool __hne(Name a, Name b) { return a != b; }                                    \
  LOCKSTEP_INLINE bool __hlt(Name a, Name b) { return a < b; }                                     \
  LOCKSTEP_INLINE bool __hle(Name a, Name b) { return a <= b; }                                    \
  LOCKSTEP_INLINE bool __hgt(Name a, Name b) { return a > b; }                                     \
  LOCKSTEP_INLINE bool __hge(Name a, Name b) { return a >= b; }                                    \
  LOCKSTEP_INLINE bool __hisnan(Name a) { return float(a) != float(a); }                           \
  LOCKSTEP_INLINE Name hexp(Name a) { return Name(expf(float(a))); }                               \
  LOCKSTEP_INLINE Name hlog(Name a) { return Name(logf(float(a))); }                               \
  LOCKSTEP_INLINE Name hsqrt(Name a) { return Name(sqrtf(float(a))); }                             \
  LOCKSTEP_INLINE Name hrsqrt(Name a) { return Name(1.0f / sqrtf(float(a))); }                     \
  LOCKSTEP_INLINE Name hrcp(Name a) { return Name(1.0f / float(a)); }                              \
  LOCKSTEP_INLINE Name hsin(Name a) { return Name(sinf(float(a))); }                               \
  LOCKSTEP_INLINE Name hcos(Name a) { return Name(cosf(float(a))); }                               \
  LOCKSTEP_INLINE Name htanh(Name a) { return Name(tanhf(float(a))); }                             \
  LOCKSTEP_INLINE Pair __hadd2(Pair a, Pair b) { return a + b; }                                   \
  LOCKSTEP_INLINE Pair __hsub2(Pair a, Pair b) { return a - b; }                                   \
  LOCKSTEP_INLINE Pair __hmul2(Pair a, Pair b) { return a * b; }                                   \
  LOCKSTEP_INLINE Pair __h2div(Pair a, Pair b) { return a / b; }                                   \
  LOCKSTEP_INLINE Pair __hneg2(Pair a) { return {-a.x, -a.y}; }                                    \
  LOCKSTEP_INLINE Pair __hfma2(Pair a, Pair b, Pair c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; } \
  LOCKSTEP_INLINE Pair __hmax2(Pair a, Pair b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }    \
  LOCKSTEP_INLINE Pair __hmin2(Pair a, Pair b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }    \
  LOCKSTEP_INLINE Pair h2exp(Pair a) { return {hexp(a.x), hexp(a.y)}; }                            \
  LOCKSTEP_INLINE Name __low2half(Pair a) { return a.x; }                                          \
  LOCKSTEP_INLINE Name __high2half(Pair a) { return a.y; }                                         \
  LOCKSTEP_INLINE float __low2float(Pair a) { return float(a.x); }                                 \
  LOCKSTEP_INLINE float __high2float(Pair a) { return float(a.y); }                                \
  LOCKSTEP_INLINE Pair __lowhigh2highlow(Pair a) { return {a.y, a.x}; }

LOCKSTEP_SMALL_FLOAT(__half, lockstep_half_bits, lockstep_half_value)
LOCKSTEP_SMALL_PAIR(__half2, __half)
LOCKSTEP_SMALL_FUNCTIONS(__half, __half2)
typedef __half half;
typedef __half2 half2;
struct __half_raw { unsigned short x; };

LOCKSTEP_INLINE __half __float2half(float x) { return __half(x); }
LOCKSTEP_INLINE __half __float2half_rn(float x) { return __half(x); }
LOCKSTEP_INLINE __half __double2half(double x) { return __half(float(x)); }
LOCKSTEP_INLINE float __half2float(__half x) { return float(x); }
LOCKSTEP_INLINE __half2 __float2half2_rn(float x) { return {__half(x), __half(x)}; }
LOCKSTEP_INLINE __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
LOCKSTEP_INLINE __half2 __float22half2_rn(float2 v) { return {__half(v.x), __half(v.y)}; }
LOCKSTEP_INLINE float2 __half22float2(__half2 v) { return {float(v.x), float(v.y)}; }
LOCKSTEP_INLINE __half2 __half2half2(__half x) { return {x, x}; }
LOCKSTEP_INLINE __half2 __halves2half2(__half x, __half y) { return {x, y}; }
LOCKSTEP_INLINE __half2 make_half2(__half x, __half y) { return {x, y}; }
LOCKSTEP_INLINE int __half2int_rn(__half x) { return int(nearbyintf(float(x))); }
LOCKSTEP_INLINE int __half2int_rz(__half x) { return int(float(x)); }
LOCKSTEP_INLINE __half __int2half_rn(int x) { return __half(float(x)); }
LOCKSTEP_INLINE unsigned short __half_as_ushort(__half x) { return x.lockstep_bits_; }
LOCKSTEP_INLINE short __half_as_short(__half x) { return short(x.lockstep_bits_); }
LOCKSTEP_INLINE __half __ushort_as_half(unsigned short x) {
  __half h;
  h.lockstep_bits_ = x;
  return h;
}
LOCKSTEP_INLINE __half __short_as_half(short x) { return __ushort_as_half((unsigned short)x); }
