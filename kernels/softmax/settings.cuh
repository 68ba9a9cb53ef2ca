// What every rung of this ladder is launched with, and the reductions of a
// warp. out[r][c] = e^(x[r][c] - max_r) / sum_r over rows of `cols` scores.
#pragma once
#include "kernels/lab.cuh"

struct Settings {
  int rows, cols;
  int tile;  // scores of a row per trip around the loop; 0: the row at once
};

// Calls f with the one of these tiles that the settings ask for.
template <class P, class F>
void for_tile(Launcher<P>& gpu, const Settings& s, F f) {
  if (s.tile == 32) f(std::integral_constant<int, 32>{});
  else if (s.tile == 64) f(std::integral_constant<int, 64>{});
  else if (s.tile == 128) f(std::integral_constant<int, 128>{});
  else if (s.tile == 256) f(std::integral_constant<int, 256>{});
  else gpu.refuse("tile = " + std::to_string(s.tile) + " has no kernel");
}

// Over the lanes of a warp; every lane gets the result, by a butterfly of
// shuffles.
LAB_DEVICE float warp_max(float x) {
  for (int lanes = 16; lanes > 0; lanes /= 2)
    x = fmaxf(x, __shfl_xor_sync(~0u, x, lanes));
  return x;
}
LAB_DEVICE float warp_sum(float x) {
  for (int lanes = 16; lanes > 0; lanes /= 2)
    x += __shfl_xor_sync(~0u, x, lanes);
  return x;
}

// What is subtracted from a score below its maximum m: nothing where every
// score so far is -infinity, since -infinity - (-infinity) is no number.
// e^(-infinity - 0) is the 0 that it should be.
LAB_DEVICE float finite(float m) { return m == -INFINITY ? 0 : m; }
