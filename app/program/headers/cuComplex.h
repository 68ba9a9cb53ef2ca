// Complex numbers as cuBLAS and cuFFT have them.
#pragma once
#pragma clang system_header
#ifndef LOCKSTEP_DEVICE_H
#include "lockstep_device.h"
#endif

typedef float2 cuFloatComplex;
typedef cuFloatComplex cuComplex;
typedef double2 cuDoubleComplex;

#define LOCKSTEP_COMPLEX(C, R, suffix, make, square_root)                                                   \
  LOCKSTEP_INLINE C make(R x, R y) { return C{x, y}; }                                                      \
  LOCKSTEP_INLINE R cuCreal##suffix(C a) { return a.x; }                                                    \
  LOCKSTEP_INLINE R cuCimag##suffix(C a) { return a.y; }                                                    \
  LOCKSTEP_INLINE C cuConj##suffix(C a) { return make(a.x, -a.y); }                                         \
  LOCKSTEP_INLINE C cuCadd##suffix(C a, C b) { return make(a.x + b.x, a.y + b.y); }                         \
  LOCKSTEP_INLINE C cuCsub##suffix(C a, C b) { return make(a.x - b.x, a.y - b.y); }                         \
  LOCKSTEP_INLINE C cuCmul##suffix(C a, C b) { return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); } \
  LOCKSTEP_INLINE C cuCdiv##suffix(C a, C b) {                                                              \
    const R s = b.x * b.x + b.y * b.y;                                                                      \
    return make((a.x * b.x + a.y * b.y) / s, (a.y * b.x - a.x * b.y) / s);                                  \
  }                                                                                                         \
  LOCKSTEP_INLINE C cuCfma##suffix(C a, C b, C c) { return cuCadd##suffix(cuCmul##suffix(a, b), c); }       \
  LOCKSTEP_INLINE R cuCabs##suffix(C a) { return square_root(a.x, a.y); }
LOCKSTEP_COMPLEX(cuFloatComplex, float, f, make_cuFloatComplex, hypotf)
LOCKSTEP_COMPLEX(cuDoubleComplex, double, , make_cuDoubleComplex, hypot)
#undef LOCKSTEP_COMPLEX
LOCKSTEP_INLINE cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
LOCKSTEP_INLINE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return make_cuDoubleComplex(a.x, a.y); }
LOCKSTEP_INLINE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return make_cuFloatComplex(float(a.x), float(a.y));
}
