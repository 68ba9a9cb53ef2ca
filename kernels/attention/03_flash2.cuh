// 03 flash2: a block owns a tile of Q and walks along K and V. Each warp owns rows of that tile (split-Q): maxima and
// sums never leave the warp. O stays in registers, unnormalised, and is divided once, at the end. Tiles that the causal
// mask hides are skipped. Any seq.
#pragma once
#include "kernels/attention/shared_bytes.hpp"
#include "kernels/half.cuh"
#include "kernels/lab.cuh"
#include "settings.cuh"

// kRows rows from row `first` on into shared memory; zeros where `left` of them have come.
template <int kRows, int kD, class Tile, class Rows>
LAB_DEVICE void load_tile(const Tile& tile, const Rows& from, int first, int left, float scale = 1) {
  for (int e = threadIdx.x; e < kRows * kD; e += 128)
    tile[e / kD][e % kD] = scale * float(load_if(e < left * kD, from[first * kD + e]));
}

template <int kTileQ, int kTileK, int kD, class T, class P>
LAB_KERNEL_OF(128) void flash2(View<const T, P> q, View<const T, P> k, View<const T, P> v, View<float, P> o, View<float, P> l, int seq, float scale, bool causal) {
  constexpr int kRows = kTileQ / 4, kCols = kTileK / 32, kOut = kD / 32;   // rows of a warp; columns of S and O per lane
  DYNAMIC_SHARED(float, q_tile, kTileQ, kD + 1, 0);                        // one more per row: no two lanes share a bank
  DYNAMIC_SHARED(float, k_tile, kTileK, kD + 1, 4 * kTileQ * (kD + 1));
  DYNAMIC_SHARED(float, v_tile, kTileK, kD + 1, 4 * (kTileQ + kTileK) * (kD + 1));
  const int lane = threadIdx.x % 32, y = threadIdx.x / 32 * kRows, row0 = blockIdx.x * kTileQ, head = blockIdx.y * seq;
  float m[kRows], sum[kRows] = {}, out[kRows][kOut] = {};
  for (int r = 0; r < kRows; ++r) m[r] = -INFINITY;
  int step = blockIdx.x * ceil_div(seq, kTileK);
  begin_step("load_q", step);
  load_tile<kTileQ, kD>(q_tile, q, head + row0, seq - row0, scale);
  for (int col0 = 0; col0 < seq && (!causal || col0 < row0 + kTileQ); col0 += kTileK, ++step) {
    begin_step("load_kv", step);
    load_tile<kTileK, kD>(k_tile, k, head + col0, seq - col0);
    load_tile<kTileK, kD>(v_tile, v, head + col0, seq - col0);

    __syncthreads();

    begin_step("scores", step);
    float s[kRows][kCols] = {};
    for (int p = 0; p < kD; ++p)
      for (int x = 0; x < kCols; ++x) {
        const float k_value = k_tile[32 * x + lane][p];
        for (int r = 0; r < kRows; ++r) s[r][x] += q_tile[y + r][p] * k_value;
      }
    for (int r = 0, row = row0 + y; r < kRows; ++r, ++row)
      for (int x = 0, col = col0 + lane; x < kCols; ++x, col += 32) {
        if (col >= seq || (causal && col > row)) s[r][x] = -INFINITY;
        show_if(col < seq, "s", row * seq + col, s[r][x]);
      }
    begin_step("softmax", step);
    for (int r = 0, row = row0 + y; r < kRows; ++r, ++row) {
      float top = m[r], part = 0;
      for (int x = 0; x < kCols; ++x) top = fmaxf(top, s[r][x]);
      top = warp_max(top);
      for (int x = 0; x < kCols; ++x) part += s[r][x] = expf(s[r][x] - top);
      const float factor = expf(m[r] - top);
      m[r] = top, sum[r] = sum[r] * factor + warp_sum(part);
      for (int c = 0; c < kOut; ++c) out[r][c] *= factor;
      show_if(lane == 0, "m", row, m[r]), show_if(lane == 0, "l", row, sum[r]), show_if(lane == 0, "factor", row, factor);
    }
    begin_step("output", step);
    for (int x = 0; x < kCols; ++x)
      for (int j = 0; j < 32; ++j) {
        float v_value[kOut];
        for (int c = 0; c < kOut; ++c) v_value[c] = v_tile[32 * x + j][32 * c + lane];
        for (int r = 0; r < kRows; ++r) {
          const float p = __shfl_sync(~0u, s[r][x], j);
          for (int c = 0; c < kOut; ++c) out[r][c] += p * v_value[c];
        }
      }
    for (int r = 0, row = row0 + y; r < kRows; ++r, ++row)
      for (int c = 0; c < kOut; ++c) show("o", row * kD + 32 * c + lane, out[r][c]);

    __syncthreads();
  }
  begin_step("finish", step - 1);
  for (int r = 0, row = row0 + y; r < kRows && row < seq; ++r, ++row) {
    for (int c = 0; c < kOut; ++c) o[(head + row) * kD + 32 * c + lane] = out[r][c] / sum[r];
    if (lane == 0) l[head + row] = m[r] + logf(sum[r]);
  }
}

template <class P, class T>
void launch(Launcher<P>& gpu, View<const T, P> q, View<const T, P> k, View<const T, P> v, View<float, P> o, View<float, P> l, const Settings& s) {
  for_tile<Tiles<32, 32>, Tiles<16, 32>, Tiles<64, 64>>(s, [&](auto t) {
    gpu.launch_shared("flash2", flash2<t.q, t.k, t.d, T, P>, {ceil_div(s.seq, t.q), s.heads}, {128},
                      flash2_shared(t.q, t.k, t.d), q, k, v, o, l, s.seq, s.scale(), s.causal);
  });
}
