// __nv_bfloat16 and its pair: the upper half of a float, rounded to nearest even after every operation.
#pragma once
#pragma clang system_header
#include "cuda_fp16.h"

LOCKSTEP_INLINE unsigned short lockstep_bfloat_bits(float x) {
  unsigned bits;
  __builtin_memcpy(&bits, &x, 4);
  if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
  return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
LOCKSTEP_INLINE float lockstep_bfloat_value(unsigned short h) {
  const unsigned bits = unsigned(h) << 16;
  float x;
  __builtin_memcpy(&x, &bits, 4);
  return x;
}
LOCKSTEP_SMALL_FLOAT(__nv_bfloat16, lockstep_bfloat_bits, lockstep_bfloat_value)
LOCKSTEP_SMALL_PAIR(__nv_bfloat162, __nv_bfloat16)
LOCKSTEP_SMALL_FUNCTIONS(__nv_bfloat16, __nv_bfloat162)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

LOCKSTEP_INLINE __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
LOCKSTEP_INLINE __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
LOCKSTEP_INLINE __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16(float(x)); }
LOCKSTEP_INLINE float __bfloat162float(__nv_bfloat16 x) { return float(x); }
LOCKSTEP_INLINE __nv_bfloat162 __float2bfloat162_rn(float x) { return {__nv_bfloat16(x), __nv_bfloat16(x)}; }
LOCKSTEP_INLINE __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {__nv_bfloat16(x), __nv_bfloat16(y)}; }
LOCKSTEP_INLINE __nv_bfloat162 __float22bfloat162_rn(float2 v) { return {__nv_bfloat16(v.x), __nv_bfloat16(v.y)}; }
LOCKSTEP_INLINE float2 __bfloat1622float2(__nv_bfloat162 v) { return {float(v.x), float(v.y)}; }
LOCKSTEP_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
LOCKSTEP_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
LOCKSTEP_INLINE unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.lockstep_bits_; }
LOCKSTEP_INLINE __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) {
  __nv_bfloat16 b;
  b.lockstep_bits_ = x;
  return b;
}
