// 06 flash3: one thread has tiles of Q, K and V brought in boxes, two groups of
// four warps multiply. Each owns 64 rows of Q: Q K^T comes straight from shared
// memory, P V takes its weights from the registers that they were made in. Any
// seq.
#pragma once
#include "kernels/attention/shared_bytes.hpp"
#include "kernels/bulk.cuh"
#include "settings.cuh"
#include "weights.cuh"

template <int kTileK, int kD, class P>
LAB_KERNEL_OF(384, 1)
void flash3(LAB_BOXES const Boxes<const nv_bfloat16, P> q,
            LAB_BOXES const Boxes<const nv_bfloat16, P> k,
            LAB_BOXES const Boxes<const nv_bfloat16, P> v, View<float, P> o,
            View<float, P> l, int seq, float scale, bool causal) {
  constexpr int kTileQ = 128, kSide = kD / 64;     // boxes side by side
  constexpr int kQBytes = kTileQ * kD * 2, kBoxBytes = kTileK * 128;
  DYNAMIC_BOXES(nv_bfloat16, q_tile, kSide * kTileQ, 0);
  DYNAMIC_BOXES(nv_bfloat16, kv_tile, 4 * kSide * kTileK, kQBytes);
  SHARED_BARRIERS(full_q, 1);
  SHARED_BARRIERS(full, 4);                        // of K, V, K, V
  SHARED_BARRIERS(empty, 4);
  const int tid = threadIdx.x, group = tid / 128 - 1;
  const int q0 = blockIdx.x * kTileQ, head = blockIdx.y * seq;
  const int tiles = ceil_div(seq, kTileK), first = blockIdx.x * tiles;
  const int seen = causal ? min(tiles, ceil_div(q0 + kTileQ, kTileK)) : tiles;
  if (tid == 0) {
    init_barrier(full_q[0], 1);
    for (int s = 0; s < 4; ++s) init_barrier(full[s], 1);
    for (int s = 0; s < 4; ++s) init_barrier(empty[s], 2);
    publish_barriers();
  }
  __syncthreads();                                 // the barriers are there

  if (group < 0) {                                 // the producer's group
    give_registers<40>();
    if (tid > 0) return;
    begin_step("load_q", first);
    arrive_expecting(full_q[0], kQBytes);
    for (int i = 0; i < kSide; ++i)
      copy_box(q_tile[i * kTileQ][0], q, head + q0, 64 * i, full_q[0]);
    for (int t = 0; t < 2 * seen; ++t) {           // K and V by turns
      const int use = t % 4, row = head + t / 2 * kTileK;
      if (t % 2 == 0) begin_step("load_kv", first + t / 2);
      wait_phase(empty[use], t / 4 % 2 ^ 1);       // at first all are empty
      arrive_expecting(full[use], kSide * kBoxBytes);
      for (int i = 0; i < kSide; ++i)
        copy_box(kv_tile[(use * kSide + i) * kTileK][0], t % 2 ? v : k, row,
                 64 * i, full[use]);
    }
  } else {
    take_registers<232>();
    const int row0 = q0 + group * 64 + tid / 32 % 4 * 16;
    Rows rows{{-INFINITY, -INFINITY}, {}, {}};
    float s[kTileK / 2], out[kD / 2] = {};
    unsigned p[kTileK / 16][4];
    wait_phase(full_q[0], 0);
    for (int j = 0; j < seen; ++j) {
      const int use = j % 2 * 2, phase = j / 2 % 2;
      begin_step("scores", first + j);
      wait_phase(full[use], phase);
      sums_fence();
      for (int d = 0; d < kD; d += 16)
        multiply<kTileK>(
            s, rows_of(q_tile[d / 64 * kTileQ + group * 64][d % 64]),
            rows_of(kv_tile[(use * kSide + d / 64) * kTileK][d % 64]), d > 0);
      products_commit();
      products_wait<0>();
      if (tid % 128 == 0) arrive(empty[use]);
      begin_step("softmax", first + j);
      weigh_tile<kTileK>(s, rows, row0, j * kTileK, seq, scale, causal);
      begin_step("output", first + j);
      shrink<kD>(out, rows);
      pack_weights<kTileK>(p, s);
      wait_phase(full[use + 1], phase);
      sums_fence();
      for (int n = 0; n < kTileK; n += 16)
        multiply<kD>(
            out, p[n / 16],
            columns_of(kv_tile[(use + 1) * kSide * kTileK + n][0], kBoxBytes),
            true);
      products_commit();
      products_wait<0>();
      if (tid % 128 == 0) arrive(empty[use + 1]);
      show_output<kD>(out, row0, seq);
    }
    begin_step("finish", first + seen - 1);
    store_rows<kD, P>(o, l, out, rows, head, row0, seq);
  }
}

template <class P, class T>
  requires(std::is_same_v<T, nv_bfloat16>)
void launch(Launcher<P>& gpu, View<const T, P> q, View<const T, P> k,
            View<const T, P> v, View<float, P> o, View<float, P> l,
            const Settings& s) {
  for_tile<Tiles<128, 64>, Tiles<128, 128>>(gpu, s, [&](auto t) {
    if constexpr (t.d >= 64) {                     // a box is 64 columns wide
      const int rows = s.heads * s.seq;
      gpu.launch_shared("flash3", flash3<t.k, t.d, P>,
                        {ceil_div(s.seq, t.q), s.heads}, {384},
                        boxed_shared(t.q, t.k, t.d),
                        boxes(q, rows, t.d, t.q), boxes(k, rows, t.d, t.k),
                        boxes(v, rows, t.d, t.k), o, l, s.seq,
                        s.scale() / kLn2, s.causal);
    }
  });
}
