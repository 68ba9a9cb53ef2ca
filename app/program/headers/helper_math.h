// Arithmetic of CUDA's vector types, as NVIDIA's samples have it.
#pragma once
#include "lockstep_device.h"

inline float lerp(float a, float b, float t) { return a + t * (b - a); }
inline float clamp(float f, float a, float b) { return fmaxf(a, fminf(f, b)); }
inline int clamp(int f, int a, int b) { return f < a ? a : f > b ? b : f; }
inline unsigned clamp(unsigned f, unsigned a, unsigned b) { return f < a ? a : f > b ? b : f; }
inline float fracf(float v) { return v - floorf(v); }
inline float smoothstep(float a, float b, float x) {
  const float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
  return y * y * (3.0f - 2.0f * y);
}


// op between two vectors, and a vector and a number; `each` writes an expression for every member.
#define LOCKSTEP_OPERATOR(V_, T_, op, each)                                  \
  inline V_ operator op(V_ a, V_ b) { using V = V_; return LOCKSTEP_VV_##each(op); } \
  inline V_ operator op(V_ a, T_ b) { using V = V_; return LOCKSTEP_VS_##each(op); } \
  inline V_ operator op(T_ a, V_ b) { using V = V_; return LOCKSTEP_SV_##each(op); } \
  inline void operator op##=(V_& a, V_ b) { a = a op b; }                    \
  inline void operator op##=(V_& a, T_ b) { a = a op b; }
#define LOCKSTEP_VV_2(op) V{a.x op b.x, a.y op b.y}
#define LOCKSTEP_VS_2(op) V{a.x op b, a.y op b}
#define LOCKSTEP_SV_2(op) V{a op b.x, a op b.y}
#define LOCKSTEP_VV_3(op) V{a.x op b.x, a.y op b.y, a.z op b.z}
#define LOCKSTEP_VS_3(op) V{a.x op b, a.y op b, a.z op b}
#define LOCKSTEP_SV_3(op) V{a op b.x, a op b.y, a op b.z}
#define LOCKSTEP_VV_4(op) V{a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w}
#define LOCKSTEP_VS_4(op) V{a.x op b, a.y op b, a.z op b, a.w op b}
#define LOCKSTEP_SV_4(op) V{a op b.x, a op b.y, a op b.z, a op b.w}

#define LOCKSTEP_ARITHMETIC(V_, T_, each)                                              \
  LOCKSTEP_OPERATOR(V_, T_, +, each) LOCKSTEP_OPERATOR(V_, T_, -, each) LOCKSTEP_OPERATOR(V_, T_, *, each) \
  LOCKSTEP_OPERATOR(V_, T_, /, each)
#define LOCKSTEP_ALL_ARITHMETIC(name, T_) \
  LOCKSTEP_ARITHMETIC(name##2, T_, 2) LOCKSTEP_ARITHMETIC(name##3, T_, 3) LOCKSTEP_ARITHMETIC(name##4, T_, 4)
LOCKSTEP_ALL_ARITHMETIC(float, float)
LOCKSTEP_ALL_ARITHMETIC(int, int)
LOCKSTEP_ALL_ARITHMETIC(uint, unsigned)

#define LOCKSTEP_SIGNED(name)                                                \
  inline name##2 operator-(name##2 a) { return name##2{-a.x, -a.y}; }        \
  inline name##3 operator-(name##3 a) { return name##3{-a.x, -a.y, -a.z}; }  \
  inline name##4 operator-(name##4 a) { return name##4{-a.x, -a.y, -a.z, -a.w}; }
LOCKSTEP_SIGNED(float)
LOCKSTEP_SIGNED(int)

// A function of one, two or three numbers, for each member.
#define LOCKSTEP_ONE(name, f, V_, T_)                                                   \
  inline V_##2 name(V_##2 a) { return V_##2{T_(f(a.x)), T_(f(a.y))}; }                  \
  inline V_##3 name(V_##3 a) { return V_##3{T_(f(a.x)), T_(f(a.y)), T_(f(a.z))}; }      \
  inline V_##4 name(V_##4 a) { return V_##4{T_(f(a.x)), T_(f(a.y)), T_(f(a.z)), T_(f(a.w))}; }
#define LOCKSTEP_TWO(name, f, V_, T_)                                                                \
  inline V_##2 name(V_##2 a, V_##2 b) { return V_##2{T_(f(a.x, b.x)), T_(f(a.y, b.y))}; }            \
  inline V_##3 name(V_##3 a, V_##3 b) {                                                              \
    return V_##3{T_(f(a.x, b.x)), T_(f(a.y, b.y)), T_(f(a.z, b.z))};                                 \
  }                                                                                                  \
  inline V_##4 name(V_##4 a, V_##4 b) {                                                              \
    return V_##4{T_(f(a.x, b.x)), T_(f(a.y, b.y)), T_(f(a.z, b.z)), T_(f(a.w, b.w))};                \
  }
LOCKSTEP_TWO(fminf, ::fminf, float, float)
LOCKSTEP_TWO(fmaxf, ::fmaxf, float, float)
LOCKSTEP_TWO(fmodf, ::fmodf, float, float)
LOCKSTEP_TWO(min, ::min, int, int)
LOCKSTEP_TWO(max, ::max, int, int)
LOCKSTEP_TWO(min, ::min, uint, unsigned)
LOCKSTEP_TWO(max, ::max, uint, unsigned)
LOCKSTEP_ONE(floorf, ::floorf, float, float)
LOCKSTEP_ONE(fracf, ::fracf, float, float)
LOCKSTEP_ONE(fabs, ::fabsf, float, float)
LOCKSTEP_ONE(abs, ::abs, int, int)

#define LOCKSTEP_CLAMP(V_, T_)                                                                           \
  inline V_##2 clamp(V_##2 v, T_ a, T_ b) { return V_##2{clamp(v.x, a, b), clamp(v.y, a, b)}; }          \
  inline V_##3 clamp(V_##3 v, T_ a, T_ b) {                                                              \
    return V_##3{clamp(v.x, a, b), clamp(v.y, a, b), clamp(v.z, a, b)};                                  \
  }                                                                                                      \
  inline V_##4 clamp(V_##4 v, T_ a, T_ b) {                                                              \
    return V_##4{clamp(v.x, a, b), clamp(v.y, a, b), clamp(v.z, a, b), clamp(v.w, a, b)};                \
  }                                                                                                      \
  inline V_##2 clamp(V_##2 v, V_##2 a, V_##2 b) { return V_##2{clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y)}; } \
  inline V_##3 clamp(V_##3 v, V_##3 a, V_##3 b) {                                                        \
    return V_##3{clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y), clamp(v.z, a.z, b.z)};                      \
  }                                                                                                      \
  inline V_##4 clamp(V_##4 v, V_##4 a, V_##4 b) {                                                        \
    return V_##4{clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y), clamp(v.z, a.z, b.z), clamp(v.w, a.w, b.w)}; \
  }
LOCKSTEP_CLAMP(float, float)
LOCKSTEP_CLAMP(int, int)
LOCKSTEP_CLAMP(uint, unsigned)

#define LOCKSTEP_DOT(V_, T_)                                                                   \
  inline T_ dot(V_##2 a, V_##2 b) { return a.x * b.x + a.y * b.y; }                            \
  inline T_ dot(V_##3 a, V_##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }                \
  inline T_ dot(V_##4 a, V_##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
LOCKSTEP_DOT(float, float)
LOCKSTEP_DOT(int, int)
LOCKSTEP_DOT(uint, unsigned)

#define LOCKSTEP_LENGTH(V_)                                                      \
  inline float length(V_ v) { return sqrtf(dot(v, v)); }                         \
  inline V_ normalize(V_ v) { return v * (1.0f / sqrtf(dot(v, v))); }            \
  inline V_ lerp(V_ a, V_ b, float t) { return a + (b - a) * t; }                \
  inline V_ reflect(V_ i, V_ n) { return i - n * (2.0f * dot(n, i)); }
LOCKSTEP_LENGTH(float2)
LOCKSTEP_LENGTH(float3)
LOCKSTEP_LENGTH(float4)
inline float3 cross(float3 a, float3 b) {
  return float3{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

#define LOCKSTEP_MAKE(V_, T_)                                                                             \
  inline V_##2 make_##V_##2(T_ s) { return V_##2{s, s}; }                                                 \
  inline V_##2 make_##V_##2(V_##3 a) { return V_##2{a.x, a.y}; }                                          \
  inline V_##3 make_##V_##3(T_ s) { return V_##3{s, s, s}; }                                              \
  inline V_##3 make_##V_##3(V_##2 a) { return V_##3{a.x, a.y, T_(0)}; }                                   \
  inline V_##3 make_##V_##3(V_##2 a, T_ s) { return V_##3{a.x, a.y, s}; }                                 \
  inline V_##3 make_##V_##3(V_##4 a) { return V_##3{a.x, a.y, a.z}; }                                     \
  inline V_##4 make_##V_##4(T_ s) { return V_##4{s, s, s, s}; }                                           \
  inline V_##4 make_##V_##4(V_##3 a) { return V_##4{a.x, a.y, a.z, T_(0)}; }                              \
  inline V_##4 make_##V_##4(V_##3 a, T_ w) { return V_##4{a.x, a.y, a.z, w}; }
LOCKSTEP_MAKE(float, float)
LOCKSTEP_MAKE(int, int)
LOCKSTEP_MAKE(uint, unsigned)
