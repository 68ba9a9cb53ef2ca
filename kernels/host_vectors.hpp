// CUDA's built-in vector types, as the emulated kernels see them: same names, sizes and alignments (CUDA C++
// Programming Guide, "Alignment Requirements of Vector Types").
#pragma once
#include <cstdint>

namespace lab {

#define LAB_VECTORS(name, T, align1, align2, align4)                 \
  struct alignas(align1) name##1 {                                   \
    T x;                                                             \
  };                                                                 \
  struct alignas(align2) name##2 {                                   \
    T x, y;                                                          \
  };                                                                 \
  struct alignas(align1) name##3 {                                   \
    T x, y, z;                                                       \
  };                                                                 \
  struct alignas(align4) name##4 {                                   \
    T x, y, z, w;                                                    \
  };                                                                 \
  inline name##1 make_##name##1(T x) { return {x}; }                 \
  inline name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
LAB_VECTORS(char, signed char, 1, 2, 4)
LAB_VECTORS(uchar, unsigned char, 1, 2, 4)
LAB_VECTORS(short, short, 2, 4, 8)
LAB_VECTORS(ushort, unsigned short, 2, 4, 8)
LAB_VECTORS(int, int, 4, 8, 16)
LAB_VECTORS(uint, unsigned, 4, 8, 16)
LAB_VECTORS(longlong, long long, 8, 16, 16)
LAB_VECTORS(ulonglong, unsigned long long, 8, 16, 16)
LAB_VECTORS(float, float, 4, 8, 16)
LAB_VECTORS(double, double, 8, 16, 16)
#undef LAB_VECTORS

}  // namespace lab
