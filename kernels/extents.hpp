// Small host-and-device helpers of the dialect: launch extents and where an element of a shared tile stands.
#pragma once

namespace lab {

#ifdef __CUDACC__
__host__ __device__
#endif
    constexpr int
    ceil_div(int a, int b) {
  return (a + b - 1) / b;
}

// Where element (row, col) of a tile stands: pitch elements from row to row, columns XORed with a function of
// the row. A swizzle is a type with `static int column(int row, int col)`; NoSwizzle leaves the column alone.
struct NoSwizzle {
#ifdef __CUDACC__
  __host__ __device__
#endif
      static constexpr int
      column(int, int col) {
    return col;
  }
};
template <int kMask, int kRowShift = 0>
struct XorSwizzle {
#ifdef __CUDACC__
  __host__ __device__
#endif
      static constexpr int
      column(int row, int col) {
    return col ^ ((row >> kRowShift) & kMask);
  }
};

// The extents of a launch.
struct Extents {
  int x = 1, y = 1, z = 1;
};

}  // namespace lab
