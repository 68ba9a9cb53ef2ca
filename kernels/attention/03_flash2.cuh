// 03 flash2: a block owns a tile of Q and walks along K and V. Each warp owns
// rows of that tile (split-Q): maxima and sums never leave the warp. O stays in
// registers, unnormalised, and is divided once, at the end. Tiles that the
// causal mask hides are skipped. Any seq.
#pragma once
#include "kernels/attention/shared_bytes.hpp"
#include "kernels/half.cuh"
#include "kernels/lab.cuh"
#include "settings.cuh"

// Loads kRows rows, from row `first` on; zeros where there are only `left`.
template <int kRows, int kD, class Tile, class Rows>
LAB_DEVICE void load_tile(const Tile& tile, const Rows& from, int first,
                          int left, float scale = 1) {
  for (int e = threadIdx.x; e < kRows * kD; e += 128)
    tile[e / kD][e % kD] =
        scale * float(load_if(e < left * kD, from[first * kD + e]));
}

// S = Q K^T: the rows of a warp from row y on, the column of this lane.
template <int kD, int kRows, class Tile>
LAB_DEVICE void multiply_k(float (&s)[kRows], const Tile& q_tile, int y,
                           const Tile& k_tile) {
  const int lane = threadIdx.x % 32;
  for (int p = 0; p < kD / 4; ++p) {
    const float4 k_value = as<float4>(k_tile)[lane][p];
    for (int r = 0; r < kRows; ++r)
      s[r] += dot(as<float4>(q_tile)[y + r][p], k_value);
  }
}

// What a row does not see, beyond the end or the diagonal, weighs nothing.
template <int kRows>
LAB_DEVICE void mask_scores(float (&s)[kRows], int row, int col, int seq,
                            bool causal) {
  for (int r = 0; r < kRows; ++r, ++row) {
    if (col >= seq || (causal && col > row)) s[r] = -INFINITY;
    show_if(col < seq, "s", row * seq + col, s[r]);
  }
}

template <int kTileQ, int kD, class T, class P>
LAB_KERNEL_OF(128)
void flash2(View<const T, P> q, View<const T, P> k, View<const T, P> v,
            View<float, P> o, View<float, P> l, int seq, float scale,
            bool causal) {
  constexpr int kTileK = 32, kRows = kTileQ / 4, kOut = kD / 32;  // per lane
  constexpr Flash2Layout kAt = flash2_layout(kTileQ, kD);
  DYNAMIC_SHARED(float, q_tile, kTileQ, padded(kD), kAt.q);
  DYNAMIC_SHARED(float, k_tile, kTileK, padded(kD), kAt.k);
  DYNAMIC_SHARED(float, v_tile, kTileK, padded(kD), kAt.v);
  const int lane = threadIdx.x % 32, y = threadIdx.x / 32 * kRows;
  const int row0 = blockIdx.x * kTileQ, head = blockIdx.y * seq;
  float m[kRows], sum[kRows] = {}, out[kRows][kOut] = {};
  for (int r = 0; r < kRows; ++r) m[r] = -INFINITY;
  int step = blockIdx.x * ceil_div(seq, kTileK);
  begin_step("load_q", step);
  load_tile<kTileQ, kD>(q_tile, q, head + row0, seq - row0, scale);
  const auto seen = [&](int col) { return !causal || col < row0 + kTileQ; };
  for (int col0 = 0; col0 < seq && seen(col0); col0 += kTileK, ++step) {
    begin_step("load_kv", step);
    load_tile<kTileK, kD>(k_tile, k, head + col0, seq - col0);
    load_tile<kTileK, kD>(v_tile, v, head + col0, seq - col0);

    __syncthreads();

    begin_step("scores", step);
    float s[kRows] = {};
    multiply_k<kD>(s, q_tile, y, k_tile);
    mask_scores(s, row0 + y, col0 + lane, seq, causal);
    begin_step("softmax", step);
    for (int r = 0, row = row0 + y; r < kRows; ++r, ++row) {
      const float top = fmaxf(m[r], warp_max(s[r])), factor = expf(m[r] - top);
      s[r] = expf(s[r] - top);
      m[r] = top, sum[r] = sum[r] * factor + warp_sum(s[r]);
      for (int c = 0; c < kOut; ++c) out[r][c] *= factor;
      show_if(lane == 0, "m", row, m[r]);
      show_if(lane == 0, "l", row, sum[r]);
      show_if(lane == 0, "factor", row, factor);
    }
    begin_step("output", step);
    for (int j = 0; j < kTileK; ++j) {
      float v_value[kOut];
      for (int c = 0; c < kOut; ++c) v_value[c] = v_tile[j][32 * c + lane];
      for (int r = 0; r < kRows; ++r) {
        const float p = __shfl_sync(~0u, s[r], j);
        for (int c = 0; c < kOut; ++c) out[r][c] += p * v_value[c];
      }
    }
    for (int r = 0, row = row0 + y; r < kRows; ++r, ++row)
      for (int c = 0; c < kOut; ++c)
        show("o", row * kD + 32 * c + lane, out[r][c]);

    __syncthreads();
  }
  begin_step("finish", step - 1);
  for (int r = 0, row = row0 + y; r < kRows && row < seq; ++r, ++row) {
    for (int c = 0; c < kOut; ++c)
      o[(head + row) * kD + 32 * c + lane] = out[r][c] / sum[r];
    if (lane == 0) l[head + row] = m[r] + logf(sum[r]);
  }
}

template <class P, class T>
void launch(Launcher<P>& gpu, View<const T, P> q, View<const T, P> k,
            View<const T, P> v, View<float, P> o, View<float, P> l,
            const Settings& s) {
  for_tile<Tiles<32, 32>, Tiles<16, 32>, Tiles<64, 32>>(gpu, s, [&](auto t) {
    const Extents grid{ceil_div(s.seq, t.q), s.heads};
    gpu.launch_shared("flash2", flash2<t.q, t.d, T, P>, grid, {128},
                      flash2_shared(t.q, t.d), q, k, v, o, l, s.seq, s.scale(),
                      s.causal);
  });
}
