// What every rung of this ladder is launched with: C[m][n] = A[m][k] B[k][n], row by row.
#pragma once
#include "kernels/lab.cuh"

struct Settings {
  int m, n, k;
  int bm, bn, bk;  // the tile of a block and of one trip around the k-loop; rungs without tiles ignore them
};

template <int kBM, int kBN, int kBK>
struct TileShape {
  static constexpr int bm = kBM, bn = kBN, bk = kBK;
  static Extents grid(const Settings& s) { return {ceil_div(s.n, kBN), ceil_div(s.m, kBM)}; }
};

// Calls f with the one of these tile shapes that the settings ask for.
template <class... Shapes, class F>
void for_tile(const Settings& s, F f) {
  const auto if_asked = [&](auto shape) {
    if (shape.bm == s.bm && shape.bn == s.bn && shape.bk == s.bk) f(shape);
  };
  (if_asked(Shapes{}), ...);
}
