// 09 backward_wgmma: the gradients of backward with the means of flash3. Each
// of two groups owns 64 rows of K (of Q, for dQ); 64 rows at a time of the
// other two matrices pass by. P and dS stay in the registers that they were
// made in, where the next product takes them. Any seq.
#pragma once
#include "kernels/attention/shared_bytes.hpp"
#include "kernels/bulk.cuh"
#include "06_flash3.cuh"
#include "rowsum.cuh"
#include "settings.cuh"
#include "weights.cuh"

constexpr int kOwn = 128, kPass = 64, kStages = 4;  // rows, rows, tiles

// The producer arrives once, each of the two groups too.
template <class One, class Ring>
LAB_DEVICE void init_barriers(One& full_own, Ring& full, Ring& empty) {
  if (threadIdx.x == 0) {
    init_barrier(full_own[0], 1);
    for (int s = 0; s < kStages; ++s)
      init_barrier(full[s], 1), init_barrier(empty[s], 2);
    publish_barriers();
  }
  __syncthreads();                                 // the barriers are there
}

// kRows rows of a matrix from `row` on, in boxes side by side.
template <int kRows, int kD, class Tile, class From, class Ring>
LAB_DEVICE void fetch_rows(const Tile& tile, int to, const From& from, int row,
                           Ring& full, int use) {
  for (int i = 0; i < kD / 64; ++i)
    copy_box(tile[to + i * kRows][0], from, row, 64 * i, full[use]);
}

// sums = the 64 rows of `a` from row `a_row` on, times all rows of a passing
// tile: over all columns of both.
template <int kD, class TileA, class TileB>
LAB_DEVICE void multiply_rows(float* sums, const TileA& a, int a_row,
                              const TileB& b, int b_row) {
#pragma unroll
  for (int c = 0; c < kD; c += 16)
    multiply<kPass>(sums, rows_of(a[c / 64 * kOwn + a_row][c % 64]),
                    rows_of(b[b_row + c / 64 * kPass][c % 64]), c > 0);
  products_commit();
}

// sums += weights times a passing tile.
template <int kD, class Tile>
LAB_DEVICE void add_weighted(float* sums, const unsigned (&weights)[4][4],
                             const Tile& tile, int row) {
  sums_fence();
#pragma unroll
  for (int n = 0; n < kPass; n += 16)
    multiply<kD>(sums, weights[n / 16],
                 columns_of(tile[row + n][0], kPass * 128), true);
  products_commit();
}

// A number of each row of Q where rows of Q are columns: a lane's of 64.
template <class P>
LAB_DEVICE void load_of_columns(float (&x)[kPass / 4], View<float, P> from,
                                int head, int row0, int seq) {
#pragma unroll
  for (int i = 0; i < kPass / 4; ++i) {
    const int row = row0 + i / 2 * 8 + threadIdx.x % 4 * 2 + i % 2;
    x[i] = load_if(row < seq, from[head + row]);
  }
}

// A warp's 16 rows of a gradient, from row0 on.
template <int kD, class P>
LAB_DEVICE void store_gradient(View<float, P> to, const float* sums,
                               float factor, int head, int row0, int seq) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < kD / 4; ++i) {
    const int row = row0 + i % 2 * 8 + lane / 4;
    if (row < seq)
      as<float2>(to)[(head + row) * (kD / 2) + i / 2 * 4 + lane % 4] =
          make_float2(factor * sums[2 * i], factor * sums[2 * i + 1]);
  }
}

// dV = P^T dO and dK = dS^T Q: rows of scores are rows of K.
template <int kD, class P>
LAB_KERNEL_OF(384, 1)
void gradient_kv(LAB_BOXES const Boxes<const nv_bfloat16, P> q,
                 LAB_BOXES const Boxes<const nv_bfloat16, P> k,
                 LAB_BOXES const Boxes<const nv_bfloat16, P> v,
                 LAB_BOXES const Boxes<const nv_bfloat16, P> d_o,
                 View<float, P> l, View<float, P> d, View<float, P> d_k,
                 View<float, P> d_v, int seq, float scale, bool causal) {
  constexpr int kSide = kD / 64, kOwnBytes = kOwn * kD * 2;
  constexpr int kPassBytes = kPass * kD * 2, kRing = 2 * kOwnBytes;
  constexpr int kSecond = kRing + kStages * kPassBytes;
  DYNAMIC_BOXES(nv_bfloat16, k_tile, kSide * kOwn, 0);
  DYNAMIC_BOXES(nv_bfloat16, v_tile, kSide * kOwn, kOwnBytes);
  DYNAMIC_BOXES(nv_bfloat16, q_tile, kStages * kSide * kPass, kRing);
  DYNAMIC_BOXES(nv_bfloat16, do_tile, kStages * kSide * kPass, kSecond);
  SHARED_BARRIERS(full_own, 1);
  SHARED_BARRIERS(full, kStages);
  SHARED_BARRIERS(empty, kStages);
  const int tid = threadIdx.x, group = tid / 128 - 1;
  const int col0 = blockIdx.x * kOwn, head = blockIdx.y * seq;
  const int tiles = ceil_div(seq, kOwn);
  const int row_begin = causal ? col0 : 0;         // others see none
  init_barriers(full_own, full, empty);

  if (group < 0) {                                 // the producer's group
    give_registers<24>();
    if (tid > 0) return;
    begin_step("load_kv", row_begin / kOwn * tiles + blockIdx.x);
    arrive_expecting(full_own[0], 2 * kOwnBytes);
    fetch_rows<kOwn, kD>(k_tile, 0, k, head + col0, full_own, 0);
    fetch_rows<kOwn, kD>(v_tile, 0, v, head + col0, full_own, 0);
    for (int row0 = row_begin, t = 0; row0 < seq; row0 += kPass, ++t) {
      const int use = t % kStages, to = use * kSide * kPass;
      begin_step("load_q", row0 / kOwn * tiles + blockIdx.x);
      wait_phase(empty[use], t / kStages % 2 ^ 1);  // at first all are empty
      arrive_expecting(full[use], 2 * kPassBytes);
      fetch_rows<kPass, kD>(q_tile, to, q, head + row0, full, use);
      fetch_rows<kPass, kD>(do_tile, to, d_o, head + row0, full, use);
    }
  } else {
    take_registers<240>();
    const int mine = group * 64;
    const int own0 = col0 + mine + tid / 32 % 4 * 16;  // this warp's
    float k_sum[kD / 2] = {}, v_sum[kD / 2] = {};
    float s[kPass / 2], dp[kPass / 2];             // become P and dS
    unsigned p[4][4], ds[4][4];
    wait_phase(full_own[0], 0);
    for (int row0 = row_begin, t = 0; row0 < seq; row0 += kPass, ++t) {
      const int use = t % kStages, at = use * kSide * kPass;
      const int step = row0 / kOwn * tiles + blockIdx.x;
      begin_step("scores", step);
      wait_phase(full[use], t / kStages % 2);
      sums_fence();
      multiply_rows<kD>(s, k_tile, mine, q_tile, at);
      begin_step("gradient_p", step);
      multiply_rows<kD>(dp, v_tile, mine, do_tile, at);
      begin_step("recompute", step);
      float of_row[kPass / 4];                     // meanwhile
      load_of_columns<P>(of_row, l, head, row0, seq);
      products_wait<1>();                          // the scores are there
      for (int i = 0; i < kPass / 2; ++i)
        s[i] = fast_exp2(s[i] * scale - of_row[i / 4 * 2 + i % 2] / kLn2);
      if (row0 + kPass > seq || (causal && row0 < own0 + 16))
        each<kPass>(s, own0, row0, [&](float& p, int col, int row) {
          if (row >= seq || (causal && col > row)) p = 0;
        });
      each<kPass>(s, own0, row0, [&](float p, int col, int row) {
        show_if(row < seq && col < seq, "p", row * seq + col, p);
      });
      begin_step("gradient_v", step);
      pack_weights<kPass>(p, s);
      add_weighted<kD>(v_sum, p, do_tile, at);
      begin_step("gradient_s", step);
      load_of_columns<P>(of_row, d, head, row0, seq);
      products_wait<1>();                          // dP is there
      for (int i = 0; i < kPass / 2; ++i)
        dp[i] = s[i] * (dp[i] - of_row[i / 4 * 2 + i % 2]);
      each<kPass>(dp, own0, row0, [&](float ds, int col, int row) {
        show_if(row < seq && col < seq, "ds", row * seq + col, ds);
      });
      begin_step("gradient_k", step);
      pack_weights<kPass>(ds, dp);
      add_weighted<kD>(k_sum, ds, q_tile, at);
      products_wait<0>();
      if (tid % 128 == 0) arrive(empty[use]);
    }
    begin_step("finish", (tiles - 1) * tiles + blockIdx.x);
    store_gradient<kD, P>(d_v, v_sum, 1, head, own0, seq);
    store_gradient<kD, P>(d_k, k_sum, scale * kLn2, head, own0, seq);
  }
}

// dQ = dS K: rows of scores are rows of Q.
template <int kD, class P>
LAB_KERNEL_OF(384, 1)
void gradient_q(LAB_BOXES const Boxes<const nv_bfloat16, P> q,
                LAB_BOXES const Boxes<const nv_bfloat16, P> k,
                LAB_BOXES const Boxes<const nv_bfloat16, P> v,
                LAB_BOXES const Boxes<const nv_bfloat16, P> d_o,
                View<float, P> l, View<float, P> d, View<float, P> d_q, int seq,
                float scale, bool causal) {
  constexpr int kSide = kD / 64, kOwnBytes = kOwn * kD * 2;
  constexpr int kPassBytes = kPass * kD * 2, kRing = 2 * kOwnBytes;
  constexpr int kSecond = kRing + kStages * kPassBytes;
  DYNAMIC_BOXES(nv_bfloat16, q_tile, kSide * kOwn, 0);
  DYNAMIC_BOXES(nv_bfloat16, do_tile, kSide * kOwn, kOwnBytes);
  DYNAMIC_BOXES(nv_bfloat16, k_tile, kStages * kSide * kPass, kRing);
  DYNAMIC_BOXES(nv_bfloat16, v_tile, kStages * kSide * kPass, kSecond);
  SHARED_BARRIERS(full_own, 1);
  SHARED_BARRIERS(full, kStages);
  SHARED_BARRIERS(empty, kStages);
  const int tid = threadIdx.x, group = tid / 128 - 1;
  const int row0 = blockIdx.x * kOwn, head = blockIdx.y * seq;
  const int first = blockIdx.x * ceil_div(seq, kOwn);
  const int col_end = causal ? min(seq, row0 + kOwn) : seq;
  init_barriers(full_own, full, empty);

  if (group < 0) {                                 // the producer's group
    give_registers<24>();
    if (tid > 0) return;
    begin_step("load_q", first);
    arrive_expecting(full_own[0], 2 * kOwnBytes);
    fetch_rows<kOwn, kD>(q_tile, 0, q, head + row0, full_own, 0);
    fetch_rows<kOwn, kD>(do_tile, 0, d_o, head + row0, full_own, 0);
    for (int col0 = 0, t = 0; col0 < col_end; col0 += kPass, ++t) {
      const int use = t % kStages, to = use * kSide * kPass;
      begin_step("load_kv", first + col0 / kOwn);
      wait_phase(empty[use], t / kStages % 2 ^ 1);  // at first all are empty
      arrive_expecting(full[use], 2 * kPassBytes);
      fetch_rows<kPass, kD>(k_tile, to, k, head + col0, full, use);
      fetch_rows<kPass, kD>(v_tile, to, v, head + col0, full, use);
    }
  } else {
    take_registers<240>();
    const int lane = tid % 32, mine = group * 64;
    const int own0 = row0 + mine + tid / 32 % 4 * 16;  // this warp's
    float q_sum[kD / 2] = {}, l_row[2], d_row[2];
    float s[kPass / 2], dp[kPass / 2];             // become P and dS
    unsigned ds[4][4];
    for (int r = 0, row = own0 + lane / 4; r < 2; ++r, row += 8) {
      l_row[r] = load_if(row < seq, l[head + row]) / kLn2;
      d_row[r] = load_if(row < seq, d[head + row]);
    }
    wait_phase(full_own[0], 0);
    for (int col0 = 0, t = 0; col0 < col_end; col0 += kPass, ++t) {
      const int use = t % kStages, at = use * kSide * kPass;
      const int step = first + col0 / kOwn;
      begin_step("scores", step);
      wait_phase(full[use], t / kStages % 2);
      sums_fence();
      multiply_rows<kD>(s, q_tile, mine, k_tile, at);
      begin_step("gradient_p", step);
      multiply_rows<kD>(dp, do_tile, mine, v_tile, at);
      begin_step("recompute", step);
      products_wait<1>();                          // the scores are there
      for (int i = 0; i < kPass / 2; ++i)
        s[i] = fast_exp2(s[i] * scale - l_row[i / 2 % 2]);
      if (col0 + kPass > (causal ? min(seq, own0 + 1) : seq))
        each<kPass>(s, own0, col0, [&](float& p, int row, int col) {
          if (col >= seq || (causal && col > row)) p = 0;
        });
      each<kPass>(s, own0, col0, [&](float p, int row, int col) {
        show_if(row < seq && col < seq, "p", row * seq + col, p);
      });
      begin_step("gradient_s", step);
      products_wait<0>();                          // dP is there
      for (int i = 0; i < kPass / 2; ++i)
        dp[i] = s[i] * (dp[i] - d_row[i / 2 % 2]);
      each<kPass>(dp, own0, col0, [&](float ds, int row, int col) {
        show_if(row < seq && col < seq, "ds", row * seq + col, ds);
      });
      begin_step("gradient_q", step);
      pack_weights<kPass>(ds, dp);
      add_weighted<kD>(q_sum, ds, k_tile, at);
      products_wait<0>();
      if (tid % 128 == 0) arrive(empty[use]);
    }
    begin_step("finish", first + ceil_div(col_end, kOwn) - 1);
    store_gradient<kD, P>(d_q, q_sum, scale * kLn2, head, own0, seq);
  }
}

template <class P, class T>
  requires(std::is_same_v<T, nv_bfloat16>)
void launch(Launcher<P>& gpu, View<const T, P> q, View<const T, P> k,
            View<const T, P> v, View<float, P> o, View<float, P> l,
            View<const T, P> d_o, View<float, P> d_q, View<float, P> d_k,
            View<float, P> d_v, View<float, P> d, const Settings& s) {
  launch<P, T>(gpu, q, k, v, o, l, s);              // flash3
  for_tile<Tiles<128, 128>>(gpu, s, [&](auto t) {
    if constexpr (t.d >= 64) {                     // a box is 64 columns wide
      const Extents grid{ceil_div(s.seq, kOwn), s.heads};
      const int bytes = boxed_backward_shared(t.d), rows = s.heads * s.seq;
      const auto own = [&](auto x) { return boxes(x, rows, t.d, kOwn); };
      const auto pass = [&](auto x) { return boxes(x, rows, t.d, kPass); };
      gpu.launch("rowsum", rowsum<kOwn, kOwn, t.d, T, P>, grid, {128}, d_o, o,
                 d, s.seq);
      gpu.launch_shared("gradient_kv", gradient_kv<t.d, P>, grid, {384}, bytes,
                        pass(q), own(k), own(v), pass(d_o), l, d, d_k, d_v,
                        s.seq, s.scale() / kLn2, s.causal);
      gpu.launch_shared("gradient_q", gradient_q<t.d, P>, grid, {384}, bytes,
                        own(q), pass(k), pass(v), own(d_o), l, d, d_q, s.seq,
                        s.scale() / kLn2, s.causal);
    }
  });
}
