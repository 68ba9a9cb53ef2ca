// The softmax of a warpgroup's scores where wgmma leaves them: x[4 j + 2 r + e]
// of a lane is column 8 j + lane % 4 * 2 + e of row 8 r + lane / 4, of the 16
// rows of its warp.
#pragma once
#include "kernels/fast_math.cuh"
#include "kernels/lab.cuh"
#include "kernels/matrix.cuh"

constexpr float kLn2 = 0.693147181f;  // scale holds 1 / kLn2: 2^x does for e^x

// Of a value in each of the four lanes that share a row.
LAB_DEVICE float max_of_quad(float x) {
  x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
  return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
LAB_DEVICE float sum_of_quad(float x) {
  x += __shfl_xor_sync(~0u, x, 1);
  return x + __shfl_xor_sync(~0u, x, 2);
}

// f(element, row, column) for each of this lane's, whose warp's begin at (row,
// col).
template <int kColumns, class F>
LAB_DEVICE void each(float* x, int row, int col, F f) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < kColumns / 2; ++i)
    f(x[i], row + i / 2 % 2 * 8 + lane / 4,
      col + i / 4 * 8 + lane % 4 * 2 + i % 2);
}

// What a row does not see, beyond the end or the diagonal, weighs nothing.
template <int kColumns>
LAB_DEVICE void mask_scores(float* s, int row0, int col0, int seq, float scale,
                            bool causal) {
  if (col0 + kColumns > (causal ? min(seq, row0 + 1) : seq)) // else: all
    each<kColumns>(s, row0, col0, [&](float& x, int row, int col) {
      if (col >= seq || (causal && col > row)) x = -INFINITY;
    });
  each<kColumns>(s, row0, col0, [&](float x, int row, int col) {
    show_if(row < seq && col < seq, "s", row * seq + col, x * scale * kLn2);
  });
}

// Two rows of a lane: their maxima and sums so far, and by what the last tile
// shrank what was summed before it.
struct Rows {
  float m[2], sum[2], factor[2];
};

// Scores become weights, with the columns before them.
template <int kColumns>
LAB_DEVICE void weigh(float* s, Rows& rows, float scale) {
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    float top = -INFINITY, part = 0;
#pragma unroll
    for (int j = 2 * r; j < kColumns / 2; j += 4)
      top = fmaxf(top, fmaxf(s[j], s[j + 1]));
    top = fmaxf(rows.m[r], max_of_quad(top) * scale);
#pragma unroll
    for (int j = 2 * r; j < kColumns / 2; j += 4)
      part += (s[j] = fast_exp2(s[j] * scale - top)) +
              (s[j + 1] = fast_exp2(s[j + 1] * scale - top));
    rows.factor[r] = fast_exp2(rows.m[r] - top);
    rows.sum[r] = rows.sum[r] * rows.factor[r] + sum_of_quad(part);
    rows.m[r] = top;
  }
}
template <int kColumns>
LAB_DEVICE void shrink(float* out, const Rows& rows) {
#pragma unroll
  for (int i = 0; i < kColumns / 2; ++i) out[i] *= rows.factor[i / 2 % 2];
}

// Weights as the next product's first operand: 16 columns in 4 registers.
template <int kColumns>
LAB_DEVICE void pack_weights(unsigned (*p)[4], const float* s) {
#pragma unroll
  for (int i = 0; i < kColumns / 4; ++i)
    p[i / 4][i % 4] = pack(s[2 * i], s[2 * i + 1]);
}

// What the warp's rows from row0 on hold behind a tile, for the screen.
LAB_DEVICE void show_rows(const Rows& rows, int row0, int seq) {
  const int lane = threadIdx.x % 32;
  for (int r = 0; r < 2; ++r) {
    const int row = row0 + 8 * r + lane / 4;
    const bool shown = lane % 4 == 0 && row < seq;
    show_if(shown, "m", row, rows.m[r] * kLn2);
    show_if(shown, "l", row, rows.sum[r]);
    show_if(shown, "factor", row, rows.factor[r]);
  }
}

// The softmax's part of a tile: masked scores become weights.
template <int kColumns>
LAB_DEVICE void weigh_tile(float* s, Rows& rows, int row0, int col0, int seq,
                           float scale, bool causal) {
  mask_scores<kColumns>(s, row0, col0, seq, scale, causal);
  weigh<kColumns>(s, rows, scale);
  show_rows(rows, row0, seq);
}

template <int kD>
LAB_DEVICE void show_output(float* out, int row0, int seq) {
  each<kD>(out, row0, 0, [&](float x, int row, int col) {
    show_if(row < seq, "o", row * kD + col, x);
  });
}

// O and l of a warp's rows.
template <int kD, class P>
LAB_DEVICE void store_rows(View<float, P> o, View<float, P> l, const float* out,
                           const Rows& rows, int head, int row0, int seq) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    const int row = row0 + 8 * r + lane / 4;
    const float inverse = 1 / rows.sum[r];
#pragma unroll
    for (int j = 0; j < kD / 8; ++j)
      if (row < seq)
        as<float2>(o)[(head + row) * (kD / 2) + 4 * j + lane % 4] =
            make_float2(out[4 * j + 2 * r] * inverse,
                        out[4 * j + 2 * r + 1] * inverse);
    if (row < seq && lane % 4 == 0)
      l[head + row] = rows.m[r] * kLn2 + logf(rows.sum[r]);
  }
}
