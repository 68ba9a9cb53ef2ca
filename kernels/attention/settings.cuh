// What every rung of this ladder is launched with: O = softmax(Q K^T / sqrt(d)) V for each head; q, k, v and o hold the
// heads one below the other, each seq x d row by row.
#pragma once
#include "kernels/lab.cuh"

struct Settings {
  int seq, head_dim, heads;
  bool causal;             // row i sees columns 0 .. i alone
  int tile_q, tile_k;      // rows of Q and rows of K and V that a block holds at once
  float scale() const { return 1 / std::sqrt(float(head_dim)); }
};

template <int kTileQ, int kTileK, int kD>
struct TileShape {
  static constexpr int q = kTileQ, k = kTileK, d = kD;
};

// Calls f with the one of these tiles (rows of Q, rows of K), at the head dimension, that the settings ask for.
template <int kTileQ, int kTileK>
struct Tiles {
  template <class F>
  static void if_asked(const Settings& s, F f) {
    if (s.tile_q != kTileQ || s.tile_k != kTileK) return;
    if (s.head_dim == 32) f(TileShape<kTileQ, kTileK, 32>{});
    if (s.head_dim == 64) f(TileShape<kTileQ, kTileK, 64>{});
    if (s.head_dim == 128) f(TileShape<kTileQ, kTileK, 128>{});
  }
};
template <class... Offered, class F>
void for_tile(const Settings& s, F f) {
  (Offered::if_asked(s, f), ...);
}

// The largest of what the lanes of a warp bring, and the sum of it; every lane gets it.
LAB_DEVICE float warp_max(float x) {
  for (int lanes = 16; lanes > 0; lanes /= 2) x = fmaxf(x, __shfl_xor_sync(~0u, x, lanes));
  return x;
}
LAB_DEVICE float warp_sum(float x) {
  for (int lanes = 16; lanes > 0; lanes /= 2) x += __shfl_xor_sync(~0u, x, lanes);
  return x;
}
