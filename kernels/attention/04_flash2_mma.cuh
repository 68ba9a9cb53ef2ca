// 04 flash2_mma: both products on the tensor cores. A warp owns kRows rows of
// Q; scores, maxima, sums and O stay in its registers, where the scores, packed
// to 16 bits, already lie as the second product wants them. K and V come by
// cp.async into swizzled tiles, one pair ahead. m counts in powers of two, so
// that 2^x does for e^x. Any seq.
#pragma once
#include "kernels/attention/shared_bytes.hpp"
#include "kernels/fast_math.cuh"
#include "kernels/lab.cuh"
#include "kernels/matrix.cuh"
#include "settings.cuh"

// Where unit `unit` (16 bytes) of a row of kUnits units stands: 8 units fill
// the 32 banks, so the rows of a group of 8 (of 4 where rows are shorter) mix
// theirs.
template <int kUnits>
LAB_DEVICE int swizzled(unsigned row, int unit) {
  constexpr int kMixed = kUnits < 8 ? kUnits : 8;
  return unit ^ (row / (8 / kMixed) % kMixed);
}

// Of a value in each of the four lanes that share a row.
LAB_DEVICE float max_of_quad(float x) {
  x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
  return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
LAB_DEVICE float sum_of_quad(float x) {
  x += __shfl_xor_sync(~0u, x, 1);
  return x + __shfl_xor_sync(~0u, x, 2);
}

// kRows rows into shared memory, 16 bytes a copy; zeros from row `left` on.
template <int kRows, int kUnits, int kThreads, class Tile, class Rows>
LAB_DEVICE void fetch_tile(const Tile& tile, int to, const Rows& from,
                           int first, int left) {
  for (int i = 0; i < kRows; i += kThreads / kUnits) {
    const int row = i + threadIdx.x / kUnits, unit = threadIdx.x % kUnits;
    copy_async_if(row < left, tile[to + row][swizzled<kUnits>(row, unit)],
                  from[(first + row) * kUnits + unit]);
  }
}

// S += Q K^T: a warp's rows of Q from row y on, 16 at a time, with the tile of
// K from row `use` on, 8 rows at a time.
template <class T, int kUnits, int kM, int kN, class Tile>
LAB_DEVICE void add_scores(float (&s)[kM][kN][4], const Tile& q_tile, int y,
                           const Tile& k_tile, int use) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int d = 0; d < kUnits; d += 2) {
    unsigned a[kM][4], b[4];
    for (int i = 0; i < kM; ++i) {
      const int row = y + 16 * i + lane % 16;
      load_matrix_x4(a[i], q_tile[row][swizzled<kUnits>(row, d + lane / 16)]);
    }
    for (int n = 0; n < kN; n += 2) {     // 16 rows of K: two operands at once
      const int row = use + 8 * n + lane / 16 * 8 + lane % 8;
      load_matrix_x4(b, k_tile[row][swizzled<kUnits>(row, d + lane / 8 % 2)]);
      for (int i = 0; i < kM; ++i) {
        mma_m16n8k16<T>(s[i][n], a[i], b);
        mma_m16n8k16<T>(s[i][n + 1], a[i], b + 2);
      }
    }
  }
}

// O += P V: where the first product left two neighbours of P, the second one
// wants them, in one register.
template <class T, int kM, int kN, int kUnits, class Tile>
LAB_DEVICE void add_output(float (&out)[kM][kUnits][4],
                           const float (&p)[kM][kN][4], const Tile& v_tile,
                           int use) {
#pragma unroll
  for (int n = 0; n < kN; n += 2) {
    unsigned a[kM][4], b[4];
    for (int i = 0; i < kM; ++i)
      for (int r = 0; r < 4; ++r) {
        const float* two = &p[i][n + r / 2][r % 2 * 2];
        a[i][r] = pack<T>(two[0], two[1]);
      }
    for (int d = 0; d < kUnits; d += 2) {
      const int row = use + 8 * n + threadIdx.x % 16;
      const int unit = swizzled<kUnits>(row, d + threadIdx.x % 32 / 16);
      load_matrix_x4_trans(b, v_tile[row][unit]);
      for (int i = 0; i < kM; ++i) {
        mma_m16n8k16<T>(out[i][d], a[i], b);
        mma_m16n8k16<T>(out[i][d + 1], a[i], b + 2);
      }
    }
  }
}

// f(sum, row, col) for this lane's share of sums whose first one is (row, col):
// two neighbours of each eighth row.
template <int kM, int kN, class F>
LAB_DEVICE void each(float (&sums)[kM][kN][4], int row, int col, F f) {
  for (int i = 0; i < kM; ++i)
    for (int n = 0; n < kN; ++n)
      for (int e = 0; e < 4; ++e)
        f(sums[i][n][e], row + 16 * i + e / 2 * 8 + threadIdx.x % 32 / 4,
          col + 8 * n + threadIdx.x % 4 * 2 + e % 2);
}

constexpr float kLn2 = 0.693147181f;  // scale holds 1 / kLn2: 2^x does for e^x

// What a row does not see, beyond the end or the diagonal, weighs nothing.
template <int kM, int kN>
LAB_DEVICE void mask_scores(float (&s)[kM][kN][4], int row0, int col0, int seq,
                            float scale, bool causal) {
  if (col0 + 8 * kN > (causal ? min(seq, row0 + 1) : seq))   // else it sees all
    each(s, row0, col0, [&](float& x, int row, int col) {
      if (col >= seq || (causal && col > row)) x = -INFINITY;
    });
  each(s, row0, col0, [&](float x, int row, int col) {
    show_if(row < seq && col < seq, "s", row * seq + col, x * scale * kLn2);
  });
}

// O and l of a warp's rows.
template <class P, int kM, int kUnits, int kRowsOfLane>
LAB_DEVICE void store_rows(View<float, P> o, View<float, P> l,
                           const float (&out)[kM][kUnits][4],
                           const float (&m)[kRowsOfLane],
                           const float (&sum)[kRowsOfLane], int head, int row0,
                           int seq) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int r = 0; r < kRowsOfLane; ++r) {
    const int row = row0 + 8 * r + lane / 4, e = r % 2 * 2;
    const float inverse = 1 / sum[r];
    for (int d = 0; d < kUnits; ++d) {
      const float* two = &out[r / 2][d][e];
      if (row < seq)
        as<float2>(o)[(head + row) * (4 * kUnits) + 4 * d + lane % 4] =
            make_float2(two[0] * inverse, two[1] * inverse);
    }
    if (row < seq && lane % 4 == 0)
      l[head + row] = m[r] * kLn2 + logf(sum[r]);
  }
}

// Weighs the r-th row of this lane, with the columns before it, whose maximum m
// and sum it moves on. Returns the factor by which O shrinks.
template <int kM, int kN, int kUnits>
LAB_DEVICE float weigh(float (&s)[kM][kN][4], float (&out)[kM][kUnits][4],
                       int r, float scale, float& m, float& sum) {
  const int e = r % 2 * 2;                          // elements e and e + 1
  float top = -INFINITY, part = 0;
  for (auto& x : s[r / 2]) top = fmaxf(top, fmaxf(x[e], x[e + 1]));
  top = fmaxf(m, max_of_quad(top) * scale);
  for (auto& x : s[r / 2])
    part += (x[e] = fast_exp2(x[e] * scale - top)) +
            (x[e + 1] = fast_exp2(x[e + 1] * scale - top));
  const float factor = fast_exp2(m - top);
  for (auto& x : out[r / 2]) x[e] *= factor, x[e + 1] *= factor;
  m = top, sum = sum * factor + sum_of_quad(part);
  return factor;
}

template <int kTileQ, int kTileK, int kD, int kRows, class T, class P>
LAB_KERNEL_OF(kTileQ / kRows * 32, 2)
void flash2_mma(View<const T, P> q, View<const T, P> k, View<const T, P> v,
                View<float, P> o, View<float, P> l, int seq, float scale,
                bool causal) {
  constexpr int kThreads = kTileQ / kRows * 32, kUnits = kD / 8;
  constexpr Flash2Layout kAt = mma_layout(kTileQ, kTileK, kD);
  DYNAMIC_SHARED(uint4, q_tile, kTileQ, kUnits, kAt.q);
  DYNAMIC_SHARED(uint4, k_tile, 2 * kTileK, kUnits, kAt.k);
  DYNAMIC_SHARED(uint4, v_tile, 2 * kTileK, kUnits, kAt.v);
  const int lane = threadIdx.x % 32, y = threadIdx.x / 32 * kRows;
  const int q0 = blockIdx.x * kTileQ, row0 = q0 + y, head = blockIdx.y * seq;
  const int tiles = ceil_div(seq, kTileK), first = blockIdx.x * tiles;
  const int seen = causal ? min(tiles, ceil_div(q0 + kTileQ, kTileK)) : tiles;
  const auto fetch = [&](int j) {             // to where tile j - 2 stood
    const int to = j % 2 * kTileK, row = head + j * kTileK;
    const int left = seq - j * kTileK;
    begin_step("load_kv", first + j);
    fetch_tile<kTileK, kUnits, kThreads>(k_tile, to, as<const uint4>(k), row,
                                         left);
    fetch_tile<kTileK, kUnits, kThreads>(v_tile, to, as<const uint4>(v), row,
                                         left);
  };
  begin_step("load_q", first);
  fetch_tile<kTileQ, kUnits, kThreads>(q_tile, 0, as<const uint4>(q), head + q0,
                                       seq - q0);
  fetch(0);
  float out[kRows / 16][kUnits][4] = {}, m[kRows / 8], sum[kRows / 8] = {};
  for (float& x : m) x = -INFINITY;         // every row sees a column of tile 0
  for (int j = 0, use = 0; j < seen; ++j, use ^= kTileK) {
    copy_async_commit();
    copy_async_wait<0>();
    __syncthreads();

    if (j + 1 < seen) fetch(j + 1);
    begin_step("scores", first + j);
    float s[kRows / 16][kTileK / 8][4] = {};
    add_scores<T, kUnits>(s, q_tile, y, k_tile, use);
    begin_step("softmax", first + j);
    mask_scores(s, row0, j * kTileK, seq, scale, causal);
#pragma unroll
    for (int r = 0; r < kRows / 8; ++r) {
      const float factor = weigh(s, out, r, scale, m[r], sum[r]);
      const int row = row0 + 8 * r + lane / 4;
      const bool shown = lane % 4 == 0 && row < seq;
      show_if(shown, "m", row, m[r] * kLn2);
      show_if(shown, "l", row, sum[r]);
      show_if(shown, "factor", row, factor);
    }
    begin_step("output", first + j);
    add_output<T>(out, s, v_tile, use);
    each(out, row0, 0, [&](float x, int row, int col) {
      show_if(row < seq, "o", row * kD + col, x);
    });
  }
  begin_step("finish", first + seen - 1);
  store_rows<P>(o, l, out, m, sum, head, row0, seq);
}

template <class P, class T>
  requires(sizeof(T) == 2)
void launch(Launcher<P>& gpu, View<const T, P> q, View<const T, P> k,
            View<const T, P> v, View<float, P> o, View<float, P> l,
            const Settings& s) {
  for_tile<Tiles<32, 32>, Tiles<64, 64>, Tiles<128, 64>>(gpu, s, [&](auto t) {
    // 32 rows read K and V from shared memory half as often.
    constexpr int kRows = t.q == 128 ? 32 : 16;
    const Extents grid{ceil_div(s.seq, t.q), s.heads};
    gpu.launch_shared("flash2_mma", flash2_mma<t.q, t.k, t.d, kRows, T, P>,
                      grid, {t.q / kRows * 32}, mma_shared(t.q, t.k, t.d),
                      q, k, v, o, l, s.seq, s.scale() / kLn2, s.causal);
  });
}
