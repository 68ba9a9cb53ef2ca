// What every rung of this ladder is launched with: C = A B, row by row, with
// A m x k, B k x n (of fp8 column by column) and C m x n.
#pragma once
#include "kernels/lab.cuh"

struct Settings {
  int m, n, k;
  int bm, bn, bk;  // tile of a block, and of one trip around the loop over k
};

template <int kBM, int kBN, int kBK>
struct Shape {
  static constexpr int bm = kBM, bn = kBN, bk = kBK;
  static bool asked_by(const Settings& s) {
    return s.bm == bm && s.bn == bn && s.bk == bk;
  }
  static Extents grid(const Settings& s) {
    return {ceil_div(s.n, bn), ceil_div(s.m, bm)};
  }
};

// Calls f with the one of these shapes that the settings ask for.
template <class... Shapes, class P, class F>
void for_tile(Launcher<P>& gpu, const Settings& s, F f) {
  const bool found = ((Shapes::asked_by(s) && (f(Shapes{}), true)) || ...);
  if (!found)
    gpu.refuse("bm = " + std::to_string(s.bm) + ", bn = " +
               std::to_string(s.bn) + ", bk = " + std::to_string(s.bk) +
               " is no tile that this kernel is compiled for");
}
