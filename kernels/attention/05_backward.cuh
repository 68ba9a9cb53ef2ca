// 05 backward: the gradients of flash2. The forward pass keeps l alone: each
// tile of P is computed once more, from Q, K and l, where it is needed. Blocks
// that own rows of K walk along Q for dK and dV, blocks that own rows of Q walk
// along K for dQ: no two blocks add to one row, and every run gives the same
// bits. Any seq.
#pragma once
#include "kernels/attention/shared_bytes.hpp"
#include "kernels/half.cuh"
#include "kernels/lab.cuh"
#include "03_flash2.cuh"
#include "rowsum.cuh"
#include "settings.cuh"

// Products of the rows y, y + 1, ... of `own` with all rows of `other`; a lane
// has those with rows lane, lane + 32, ...
template <int kD, int kRows, int kCols, class Tile>
LAB_DEVICE void multiply_rows(float (&products)[kRows][kCols], const Tile& own,
                              int y, const Tile& other) {
  for (int p = 0; p < kD / 4; ++p)
    for (int x = 0; x < kCols; ++x) {
      const float4 value = as<float4>(other)[32 * x + threadIdx.x % 32][p];
      for (int r = 0; r < kRows; ++r)
        products[r][x] += dot(as<float4>(own)[y + r][p], value);
    }
}

// Adds to each sum all rows of `other`, each with its weight, which the lane of
// that number has.
template <int kRows, int kOut, int kCols, class Tile>
LAB_DEVICE void add_rows(float (&sums)[kRows][kOut],
                         const float (&weights)[kRows][kCols],
                         const Tile& other) {
  for (int x = 0; x < kCols; ++x)
    for (int j = 0; j < 32; ++j) {
      float value[kOut];
      for (int c = 0; c < kOut; ++c)
        value[c] = other[32 * x + j][32 * c + threadIdx.x % 32];
      for (int r = 0; r < kRows; ++r) {
        const float weight = __shfl_sync(~0u, weights[r][x], j);
        for (int c = 0; c < kOut; ++c) sums[r][c] += weight * value[c];
      }
    }
}

// dS = P (dP - d), element by element: rows row, row + 32, ... of Q, and rows
// col0, col0 + 1, ... of K.
template <int kRows, int kCols, class Rows>
LAB_DEVICE void subtract_d(float (&ds)[kRows][kCols],
                           const float (&p)[kRows][kCols], const Rows& d,
                           int head, int row, int col0, int seq) {
  for (int x = 0; x < kCols; ++x, row += 32) {
    const float d_row = load_if(row < seq, d[head + row]);
    for (int r = 0, col = col0; r < kRows; ++r, ++col) {
      ds[r][x] = p[r][x] * (ds[r][x] - d_row);
      show_if(row < seq && col < seq, "ds", row * seq + col, ds[r][x]);
    }
  }
}

// dV = P^T dO and dK = dS^T Q: a warp has rows of K, a lane rows of Q.
template <int kTileQ, int kTileK, int kD, class T, class P>
LAB_KERNEL_OF(128)
void gradient_kv(View<const T, P> q, View<const T, P> k, View<const T, P> v,
                 View<const T, P> d_o, View<float, P> l, View<float, P> d,
                 View<float, P> d_k, View<float, P> d_v, int seq, float scale,
                 bool causal) {
  constexpr int kRows = kTileK / 4, kCols = kTileQ / 32, kOut = kD / 32;
  constexpr BackwardLayout kAt = backward_layout(kTileQ, kTileK, kD);
  DYNAMIC_SHARED(float, q_tile, kTileQ, padded(kD), kAt.q);
  DYNAMIC_SHARED(float, do_tile, kTileQ, padded(kD), kAt.d_o);
  DYNAMIC_SHARED(float, k_tile, kTileK, padded(kD), kAt.k);
  DYNAMIC_SHARED(float, v_tile, kTileK, padded(kD), kAt.v);
  const int lane = threadIdx.x % 32, y = threadIdx.x / 32 * kRows;
  const int col0 = blockIdx.x * kTileK, head = blockIdx.y * seq;
  const int tiles = ceil_div(seq, kTileK);
  const int row_begin = causal ? col0 / kTileQ * kTileQ : 0;  // others see none
  int step = row_begin / kTileQ * tiles + blockIdx.x;
  begin_step("load_kv", step);
  load_tile<kTileK, kD>(k_tile, k, head + col0, seq - col0);
  load_tile<kTileK, kD>(v_tile, v, head + col0, seq - col0);
  float k_sum[kRows][kOut] = {}, v_sum[kRows][kOut] = {};
  for (int row0 = row_begin; row0 < seq; row0 += kTileQ, step += tiles) {
    begin_step("load_q", step);
    load_tile<kTileQ, kD>(q_tile, q, head + row0, seq - row0, scale);
    load_tile<kTileQ, kD>(do_tile, d_o, head + row0, seq - row0);

    __syncthreads();

    begin_step("recompute", step);
    float p[kRows][kCols] = {}, ds[kRows][kCols] = {};
    multiply_rows<kD>(p, k_tile, y, q_tile);
    for (int x = 0, row = row0 + lane; x < kCols; ++x, row += 32) {
      const float l_row = load_if(row < seq, l[head + row]);
      for (int r = 0, col = col0 + y; r < kRows; ++r, ++col) {
        const bool seen = row < seq && col < seq && (!causal || col <= row);
        p[r][x] = seen ? expf(p[r][x] - l_row) : 0;
        show_if(row < seq && col < seq, "p", row * seq + col, p[r][x]);
      }
    }
    begin_step("gradient_v", step);
    add_rows(v_sum, p, do_tile);
    begin_step("gradient_p", step);
    multiply_rows<kD>(ds, v_tile, y, do_tile);
    begin_step("gradient_s", step);
    subtract_d(ds, p, d, head, row0 + lane, col0 + y, seq);
    begin_step("gradient_k", step);
    add_rows(k_sum, ds, q_tile);

    __syncthreads();
  }
  begin_step("finish", step - tiles);
  for (int r = 0, row = col0 + y; r < kRows && row < seq; ++r, ++row)
    for (int c = 0; c < kOut; ++c) {
      d_k[(head + row) * kD + 32 * c + lane] = k_sum[r][c];
      d_v[(head + row) * kD + 32 * c + lane] = v_sum[r][c];
    }
}

// dQ = dS K: a warp has rows of Q, a lane rows of K.
template <int kTileQ, int kTileK, int kD, class T, class P>
LAB_KERNEL_OF(128)
void gradient_q(View<const T, P> q, View<const T, P> k, View<const T, P> v,
                View<const T, P> d_o, View<float, P> l, View<float, P> d,
                View<float, P> d_q, int seq, float scale, bool causal) {
  constexpr int kRows = kTileQ / 4, kCols = kTileK / 32, kOut = kD / 32;
  constexpr BackwardLayout kAt = backward_layout(kTileQ, kTileK, kD);
  DYNAMIC_SHARED(float, q_tile, kTileQ, padded(kD), kAt.q);
  DYNAMIC_SHARED(float, do_tile, kTileQ, padded(kD), kAt.d_o);
  DYNAMIC_SHARED(float, k_tile, kTileK, padded(kD), kAt.k);
  DYNAMIC_SHARED(float, v_tile, kTileK, padded(kD), kAt.v);
  const int lane = threadIdx.x % 32, y = threadIdx.x / 32 * kRows;
  const int row0 = blockIdx.x * kTileQ, head = blockIdx.y * seq;
  int step = blockIdx.x * ceil_div(seq, kTileK);
  begin_step("load_q", step);
  load_tile<kTileQ, kD>(q_tile, q, head + row0, seq - row0, scale);
  load_tile<kTileQ, kD>(do_tile, d_o, head + row0, seq - row0);
  float l_row[kRows], d_row[kRows], q_sum[kRows][kOut] = {};
  for (int r = 0, row = row0 + y; r < kRows; ++r, ++row) {
    l_row[r] = load_if(row < seq, l[head + row]);
    d_row[r] = load_if(row < seq, d[head + row]);
  }
  const auto seen = [&](int col) { return !causal || col < row0 + kTileQ; };
  for (int col0 = 0; col0 < seq && seen(col0); col0 += kTileK, ++step) {
    begin_step("load_kv", step);
    load_tile<kTileK, kD>(k_tile, k, head + col0, seq - col0);
    load_tile<kTileK, kD>(v_tile, v, head + col0, seq - col0);

    __syncthreads();

    begin_step("recompute", step);
    float p[kRows][kCols] = {}, ds[kRows][kCols] = {};
    multiply_rows<kD>(p, q_tile, y, k_tile);
    for (int r = 0, row = row0 + y; r < kRows; ++r, ++row)
      for (int x = 0, col = col0 + lane; x < kCols; ++x, col += 32) {
        const bool seen = row < seq && col < seq && (!causal || col <= row);
        p[r][x] = seen ? expf(p[r][x] - l_row[r]) : 0;
        show_if(row < seq && col < seq, "p", row * seq + col, p[r][x]);
      }
    begin_step("gradient_p", step);
    multiply_rows<kD>(ds, do_tile, y, v_tile);
    begin_step("gradient_s", step);
    for (int r = 0, row = row0 + y; r < kRows; ++r, ++row)
      for (int x = 0, col = col0 + lane; x < kCols; ++x, col += 32) {
        ds[r][x] = p[r][x] * (ds[r][x] - d_row[r]);
        show_if(row < seq && col < seq, "ds", row * seq + col, ds[r][x]);
      }
    begin_step("gradient_q", step);
    add_rows(q_sum, ds, k_tile);

    __syncthreads();
  }
  begin_step("finish", step - 1);
  for (int r = 0, row = row0 + y; r < kRows && row < seq; ++r, ++row)
    for (int c = 0; c < kOut; ++c)
      d_q[(head + row) * kD + 32 * c + lane] = scale * q_sum[r][c];
}

template <class P, class T>
void launch(Launcher<P>& gpu, View<const T, P> q, View<const T, P> k,
            View<const T, P> v, View<float, P> o, View<float, P> l,
            View<const T, P> d_o, View<float, P> d_q, View<float, P> d_k,
            View<float, P> d_v, View<float, P> d, const Settings& s) {
  launch<P, T>(gpu, q, k, v, o, l, s);              // flash2
  for_tile<Tiles<32, 32>, Tiles<64, 32>>(gpu, s, [&](auto t) {
    const Extents by_q{ceil_div(s.seq, t.q), s.heads};
    const Extents by_k{ceil_div(s.seq, t.k), s.heads};
    const int bytes = backward_shared(t.q, t.k, t.d);
    gpu.launch("rowsum", rowsum<t.q, t.k, t.d, T, P>, by_q, {128},
               d_o, o, d, s.seq);
    gpu.launch_shared("gradient_kv", gradient_kv<t.q, t.k, t.d, T, P>, by_k,
                      {128}, bytes, q, k, v, d_o, l, d, d_k, d_v, s.seq,
                      s.scale(), s.causal);
    gpu.launch_shared("gradient_q", gradient_q<t.q, t.k, t.d, T, P>, by_q,
                      {128}, bytes, q, k, v, d_o, l, d, d_q, s.seq, s.scale(),
                      s.causal);
  });
}
