// 02 flash1: scores stay on chip. A block owns a head: with each tile of K and
// V it walks down Q, while O, m and the sums of the rows lie in HBM and are
// rescaled there for every tile. The warps share out the columns of the tile
// (split-K): maxima, sums and their parts of P V are exchanged through shared
// memory. Any seq.
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

// S = Q K^T for this lane's row and the columns of its warp, from `col` on.
// Returns the largest.
template <int kD, int kCols, class Tile>
LAB_DEVICE float multiply_k(float (&s)[kCols], const Tile& q_tile,
                            const Tile& k_tile, int row, int col, int seq,
                            bool causal) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int p = 0; p < kD / 4; ++p) {
    const float4 q_value = as<float4>(q_tile)[lane][p];
    for (int c = 0; c < kCols; ++c)
      s[c] += dot(q_value, as<float4>(k_tile)[warp * kCols + c][p]);
  }
  float top = -INFINITY;
  for (int c = 0; c < kCols; ++c, ++col) {
    if (col >= seq || (causal && col > row)) s[c] = -INFINITY;
    show_if(row < seq && col < seq, "s", row * seq + col, s[c]);
    top = fmaxf(top, s[c]);
  }
  return top;
}

// The part of P V that comes from the columns of this warp, for its lane's row.
template <int kD, int kCols, class Tile>
LAB_DEVICE void multiply_v(const Tile& part, const float (&s)[kCols],
                           const Tile& v_tile) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int p = 0; p < kD / 4; ++p) {
    float4 x = {};
    for (int c = 0; c < kCols; ++c)
      x = plus(x, s[c], as<float4>(v_tile)[warp * kCols + c][p]);
    as<float4>(part)[warp * 32 + lane][p] = x;
  }
}

// O = keep O + share (P V) for the rows of a warp, which it writes whole; every
// warp has brought a part of P V. Lane r holds the factors of row r.
template <int kD, class P, class Part>
LAB_DEVICE void rescale(View<float, P> o, const Part& part, float keep,
                        float share, int head, int row0, int seq, bool known) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int r = 8 * warp; r < 8 * warp + 8; ++r) {
    const float old_part = __shfl_sync(~0u, keep, r);
    const float new_part = __shfl_sync(~0u, share, r);
    for (int p = lane; p < kD; p += 32) {
      const int at = (head + row0 + r) * kD + p;
      float x = old_part * load_if(known && row0 + r < seq, o[at]);
      for (int w = 0; w < 4; ++w) x += new_part * part[32 * w + r][p];
      if (row0 + r < seq) o[at] = x;
      show_if(row0 + r < seq, "o", (row0 + r) * kD + p, x);
    }
  }
}

template <int kTileK, int kD, class T, class P>
LAB_KERNEL_OF(128)
void flash1(View<const T, P> q, View<const T, P> k, View<const T, P> v,
            View<float, P> o, View<float, P> l, View<float, P> m,
            View<float, P> sum, int seq, float scale, bool causal) {
  constexpr int kTileQ = 32, kCols = kTileK / 4;          // columns of a warp
  constexpr Flash1Layout kAt = flash1_layout(kTileK, kD);
  DYNAMIC_SHARED(float, q_tile, kTileQ, padded(kD), kAt.q);
  DYNAMIC_SHARED(float, k_tile, kTileK, padded(kD), kAt.k);
  DYNAMIC_SHARED(float, v_tile, kTileK, padded(kD), kAt.v);
  DYNAMIC_SHARED(float, part, 4 * kTileQ, padded(kD), kAt.part);
  DYNAMIC_SHARED(float, of_warp, 8, kTileQ, kAt.of_warp);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int head = blockIdx.x * seq, tiles = ceil_div(seq, kTileK);
  for (int j = 0; j < tiles; ++j) {
    const int col0 = j * kTileK;
    begin_step("load_kv", j);
    load_tile<kTileK, kD>(k_tile, k, head + col0, seq - col0);
    load_tile<kTileK, kD>(v_tile, v, head + col0, seq - col0);
    for (int i = causal ? col0 / kTileQ : 0; i * kTileQ < seq; ++i) {
      const int row0 = i * kTileQ, row = row0 + lane;     // a lane owns a row
      const int step = i * tiles + j, known = j > 0 && row < seq;
      begin_step("load_q", step);
      load_tile<kTileQ, kD>(q_tile, q, head + row0, seq - row0, scale);
      const float m_old = known ? float(m[head + row]) : -INFINITY;
      const float sum_old = load_if(known, sum[head + row]);

      __syncthreads();

      begin_step("scores", step);
      float s[kCols] = {};
      const float top = multiply_k<kD>(s, q_tile, k_tile, row,
                                       col0 + warp * kCols, seq, causal);
      begin_step("exchange", step);
      of_warp[warp][lane] = top;
      __syncthreads();
      float m_new = m_old;
      for (int w = 0; w < 4; ++w) m_new = fmaxf(m_new, of_warp[w][lane]);
      begin_step("softmax", step);
      float factor = expf(m_old - m_new), total = 0;
      for (int c = 0; c < kCols; ++c) total += s[c] = expf(s[c] - m_new);
      of_warp[4 + warp][lane] = total;
      show_if(warp == 0 && row < seq, "m", row, m_new);
      show_if(warp == 0 && row < seq, "factor", row, factor);
      begin_step("output", step);
      multiply_v<kD>(part, s, v_tile);
      __syncthreads();
      total = sum_old * factor;
      for (int w = 4; w < 8; ++w) total += of_warp[w][lane];
      if (warp == 0 && row < seq)
        m[head + row] = m_new, sum[head + row] = total;
      show_if(warp == 0 && row < seq, "l", row, total);
      rescale<kD, P>(o, part, sum_old * factor / total, 1 / total, head, row0,
                     seq, j > 0);
      __syncthreads();
    }
  }
  begin_step("finish", ceil_div(seq, kTileQ) * tiles - 1);
  for (int row = head + threadIdx.x; row < head + seq; row += 128)
    l[row] = m[row] + logf(sum[row]);
}

template <class P, class T>
void launch(Launcher<P>& gpu, View<const T, P> q, View<const T, P> k,
            View<const T, P> v, View<float, P> o, View<float, P> l,
            View<float, P> m, View<float, P> sum, const Settings& s) {
  for_tile<Tiles<32, 32>, Tiles<32, 64>, Tiles<32, 128>, Tiles<32, 256>>(
      gpu, s, [&](auto t) {
        constexpr int kBytes = flash1_shared(t.k, t.d);
        if constexpr (kBytes <= kMostShared)
          gpu.launch_shared("flash1", flash1<t.k, t.d, T, P>, {s.heads}, {128},
                            kBytes, q, k, v, o, l, m, sum, s.seq, s.scale(),
                            s.causal);
        else
          gpu.refuse("its tiles take " + std::to_string(kBytes) +
                     " bytes of shared memory");
      });
}
