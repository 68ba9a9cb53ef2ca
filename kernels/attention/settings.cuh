// What every rung of this ladder is launched with: O = softmax(Q K^T / sqrt(d))
// V for each head; q, k, v and o hold the heads one below the other, each seq x
// d row by row.
#pragma once
#include "kernels/lab.cuh"

struct Settings {
  int seq, head_dim, heads;
  bool causal;         // row i sees columns 0 .. i alone
  int tile_q, tile_k;  // rows of Q, rows of K and V, that a block holds at once
  float scale() const { return 1 / std::sqrt(float(head_dim)); }
};

// Rows of Q, rows of K and V, head dimension.
template <int kTileQ, int kTileK, int kD>
struct Shape {
  static constexpr int q = kTileQ, k = kTileK, d = kD;
};

// Tiles of these rows, at each head dimension.
template <int kTileQ, int kTileK>
struct Tiles {
  template <class F>
  static bool if_asked(const Settings& s, F f) {
    if (s.tile_q != kTileQ || s.tile_k != kTileK) return false;
    if (s.head_dim == 32) f(Shape<kTileQ, kTileK, 32>{});
    else if (s.head_dim == 64) f(Shape<kTileQ, kTileK, 64>{});
    else if (s.head_dim == 128) f(Shape<kTileQ, kTileK, 128>{});
    else return false;
    return true;
  }
};

// Calls f with the one of the tiles offered that the settings ask for.
template <class... Offered, class P, class F>
void for_tile(Launcher<P>& gpu, const Settings& s, F f) {
  if (!(Offered::if_asked(s, f) || ...))
    gpu.refuse("tile_q = " + std::to_string(s.tile_q) + ", tile_k = " +
               std::to_string(s.tile_k) + ", head_dim = " +
               std::to_string(s.head_dim) +
               " is no tile that this kernel is compiled for");
}

LAB_DEVICE float dot(float4 a, float4 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
LAB_DEVICE float4 plus(float4 x, float a, float4 b) {    // x + a b
  return make_float4(x.x + a * b.x, x.y + a * b.y, x.z + a * b.z,
                     x.w + a * b.w);
}

// The largest of what the lanes of a warp bring, and the sum of it; every lane
// gets it.
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
