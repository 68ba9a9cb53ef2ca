// 07 pingpong: the two groups take turns on the tensor cores: while one has its
// products there, the other makes weights of its scores. And each asks for its
// next scores before P V, so that it weighs them while P V runs. Any seq.
#pragma once
#include "kernels/attention/shared_bytes.hpp"
#include "kernels/bulk.cuh"
#include "settings.cuh"
#include "weights.cuh"

// What the producer's thread asks for, as in flash3: Q, then K and V by turns.
template <int kTileK, int kD, class Tile, class One, class Ring, class From>
LAB_DEVICE void fetch_tiles(const Tile& q_tile, const Tile& kv_tile,
                            One& full_q, Ring& full, Ring& empty,
                            const From& q, const From& k, const From& v,
                            int first, int seen, int head, int q0) {
  constexpr int kSide = kD / 64;
  begin_step("load_q", first);
  arrive_expecting(full_q[0], 128 * kD * 2);
  for (int i = 0; i < kSide; ++i)
    copy_box(q_tile[i * 128][0], q, head + q0, 64 * i, full_q[0]);
  for (int t = 0; t < 2 * seen; ++t) {
    const int use = t % 4, row = head + t / 2 * kTileK;
    if (t % 2 == 0) begin_step("load_kv", first + t / 2);
    wait_phase(empty[use], t / 4 % 2 ^ 1);         // at first all are empty
    arrive_expecting(full[use], kTileK * kD * 2);
    for (int i = 0; i < kSide; ++i)
      copy_box(kv_tile[(use * kSide + i) * kTileK][0], t % 2 ? v : k, row,
               64 * i, full[use]);
  }
}

template <int kTileK, int kD, class P>
LAB_KERNEL_OF(384, 1)
void pingpong(LAB_BOXES const Boxes<const nv_bfloat16, P> q,
              LAB_BOXES const Boxes<const nv_bfloat16, P> k,
              LAB_BOXES const Boxes<const nv_bfloat16, P> v, View<float, P> o,
              View<float, P> l, int seq, float scale, bool causal) {
  constexpr int kTileQ = 128, kSide = kD / 64;     // boxes side by side
  DYNAMIC_BOXES(nv_bfloat16, q_tile, kSide * kTileQ, 0);
  DYNAMIC_BOXES(nv_bfloat16, kv_tile, 4 * kSide * kTileK, kTileQ * kD * 2);

  SHARED_BARRIERS(full_q, 1);
  SHARED_BARRIERS(full, 4);                        // of K, V, K, V
  SHARED_BARRIERS(empty, 4);
  SHARED_BARRIERS(turn, 2);                        // whose products are next
  const int tid = threadIdx.x, group = tid / 128 - 1;
  const int q0 = blockIdx.x * kTileQ, head = blockIdx.y * seq;
  const int tiles = ceil_div(seq, kTileK), first = blockIdx.x * tiles;
  const int seen = causal ? min(tiles, ceil_div(q0 + kTileQ, kTileK)) : tiles;
  if (tid == 0) {
    init_barrier(full_q[0], 1);
    for (int s = 0; s < 4; ++s)
      init_barrier(full[s], 1), init_barrier(empty[s], 2);
    for (int g = 0; g < 2; ++g) init_barrier(turn[g], 128);
    publish_barriers();
  }
  __syncthreads();                                 // the barriers are there

  if (group < 0) {                                 // the producer's group
    give_registers<40>();
    if (tid == 0)
      fetch_tiles<kTileK, kD>(q_tile, kv_tile, full_q, full, empty, q, k, v,
                              first, seen, head, q0);
  } else {
    take_registers<232>();
    const int row0 = q0 + group * 64 + tid / 32 % 4 * 16;
    Rows rows{{-INFINITY, -INFINITY}, {}, {}};
    float s[kTileK / 2], out[kD / 2] = {};
    unsigned p[kTileK / 16][4];
    const auto ask_scores = [&](int j) {
      const int use = j % 2 * 2, row = use * kSide * kTileK;
      begin_step("scores", first + j);
      wait_phase(full[use], j / 2 % 2);
      wait_phase(turn[group], j % 2);
      sums_fence();
      for (int d = 0; d < kD; d += 16)
        multiply<kTileK>(
            s, rows_of(q_tile[d / 64 * kTileQ + group * 64][d % 64]),
            rows_of(kv_tile[row + d / 64 * kTileK][d % 64]), d > 0);
      products_commit();
    };
    const auto ask_output = [&](int j) {
      const int use = j % 2 * 2 + 1, row = use * kSide * kTileK;
      begin_step("output", first + j);
      wait_phase(full[use], j / 2 % 2);
      sums_fence();
      for (int n = 0; n < kTileK; n += 16)
        multiply<kD>(out, p[n / 16],
                     columns_of(kv_tile[row + n][0], kTileK * 128), true);
      products_commit();
    };
    const auto weigh_scores = [&](int j) {
      if (tid % 128 == 0) arrive(empty[j % 2 * 2]);
      begin_step("softmax", first + j);
      weigh_tile<kTileK>(s, rows, row0, j * kTileK, seq, scale, causal);
    };
    if (group == 0) arrive(turn[0]);
    wait_phase(full_q[0], 0);
    ask_scores(0);
    arrive(turn[1 - group]);
    products_wait<0>();
    weigh_scores(0);
    pack_weights<kTileK>(p, s);
    for (int j = 1; j < seen; ++j) {
      ask_scores(j);
      ask_output(j - 1);
      arrive(turn[1 - group]);
      products_wait<1>();                          // the scores are there
      weigh_scores(j);
      products_wait<0>();                          // now O is
      if (tid % 128 == 0) arrive(empty[(j - 1) % 2 * 2 + 1]);
      show_output<kD>(out, row0, seq);
      shrink<kD>(out, rows);
      pack_weights<kTileK>(p, s);
    }
    ask_output(seen - 1);
    products_wait<0>();
    show_output<kD>(out, row0, seq);
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
      gpu.launch_shared("pingpong", pingpong<t.k, t.d, P>,
                        {ceil_div(s.seq, t.q), s.heads}, {384},
                        boxed_shared(t.q, t.k, t.d),
                        boxes(q, rows, t.d, t.q), boxes(k, rows, t.d, t.k),
                        boxes(v, rows, t.d, t.k), o, l, s.seq,
                        s.scale() / kLn2, s.causal);
    }
  });
}
