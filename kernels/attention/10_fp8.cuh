// 10 fp8: Q, K and V have 8 bits per element, and the products take twice the
// depth in the same time. The tensor cores read bytes along k alone: for P V
// these are keys, so a launch before turns V over. And it puts the keys where
// the lanes have their weights: wgmma wants four neighbours from each lane, the
// scores give it twice two. Any seq.
#pragma once
#include "kernels/attention/turned.hpp"
#include "kernels/bulk.cuh"
#include "settings.cuh"
#include "weights.cuh"

// Weights are 1 at most, and what is below 2^-9 is nothing in e4m3, whose
// largest number is 448: they go to the tensor cores 256 times as large.
constexpr float kGain = 256;

// Row c of `turned` is column c of V. Of 16 keys, place 4 q + i has key
// 8 (i / 2) + 2 q + i % 2.
template <int kD, class P>
LAB_KERNEL_OF(256)
void turn_v(View<const e4m3, P> v, View<e4m3, P> turned, int seq) {
  SHARED(unsigned, tile, 128, kD / 4 + 1);         // 4 columns in a word
  const int key0 = blockIdx.x * 128, head = blockIdx.y;
  begin_step("turn", blockIdx.x);
  for (int i = threadIdx.x; i < 128 * kD / 4; i += 256) {
    const int key = i / (kD / 4), word = i % (kD / 4);
    const int row = head * seq + key0 + key;
    tile[key][word] =
        load_if(key0 + key < seq, as<const unsigned>(v)[row * (kD / 4) + word]);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kD * 32; i += 256) {
    const int col = i / 32, place = i % 32;
    const int key = place / 4 * 16 + place % 4 * 2;
    const auto byte = [&](int k) {
      const unsigned word = tile[key + k][col / 4];
      return word >> 8 * (col % 4) & 0xff;
    };
    const int to = (head * kD + col) * turned_keys(seq) + key0 + 4 * place;
    if (key0 + 4 * place < turned_keys(seq))
      as<unsigned>(turned)[to / 4] =
          byte(0) | byte(1) << 8 | byte(8) << 16 | byte(9) << 24;
  }
}

// 32 columns of weights in 4 registers, in the order of `turned`.
template <int kColumns>
LAB_DEVICE void pack_bytes(unsigned (*p)[4], const float* s) {
#pragma unroll
  for (int i = 0; i < kColumns / 8; ++i) {
    const float* x = s + i / 4 * 16 + i % 4 / 2 * 8 + i % 2 * 2;
    p[i / 4][i % 4] = pack_e4m3(x[0] * kGain, x[1] * kGain, x[4] * kGain,
                                x[5] * kGain);
  }
}
template <int kD>
LAB_DEVICE void show_scaled(float* out, int row0, int seq) {
  each<kD>(out, row0, 0, [&](float x, int row, int col) {
    show_if(row < seq, "o", row * kD + col, x / kGain);
  });
}

// What the producer's thread asks for: Q, then K and V by turns.
template <int kD, class Tile, class One, class Ring, class From, class Turned>
LAB_DEVICE void fetch_bytes(const Tile& q_tile, const Tile& kv_tile,
                            One& full_q, Ring& full, Ring& empty,
                            const From& q, const From& k, const Turned& turned,
                            int first, int seen, int seq, int q0) {
  const int head = blockIdx.y;
  begin_step("load_q", first);
  arrive_expecting(full_q[0], 128 * 128);
  copy_box(q_tile[0][0], q, head * seq + q0, 0, full_q[0]);
  for (int t = 0; t < 2 * seen; ++t) {
    const int use = t % 4, key = t / 2 * 128;
    if (t % 2 == 0) begin_step("load_kv", first + t / 2);
    wait_phase(empty[use], t / 4 % 2 ^ 1);         // at first all are empty
    arrive_expecting(full[use], (t % 2 ? kD : 128) * 128);
    if (t % 2)
      copy_box(kv_tile[use * 128][0], turned, head * kD, key, full[use]);
    else
      copy_box(kv_tile[use * 128][0], k, head * seq + key, 0, full[use]);
  }
}

template <int kD, class P>
LAB_KERNEL_OF(384, 1)
void fp8(LAB_BOXES const Boxes<const e4m3, P> q,
         LAB_BOXES const Boxes<const e4m3, P> k,
         LAB_BOXES const Boxes<e4m3, P> turned, View<float, P> o,
         View<float, P> l, int seq, float scale, bool causal) {
  constexpr int kTile = 128;                       // rows of Q, keys: a line
  DYNAMIC_BOXES(e4m3, q_tile, kTile, 0);
  DYNAMIC_BOXES(e4m3, kv_tile, 4 * kTile, kTile * 128);
  SHARED_BARRIERS(full_q, 1);
  SHARED_BARRIERS(full, 4);                        // of K, V, K, V
  SHARED_BARRIERS(empty, 4);
  SHARED_BARRIERS(turn, 2);                        // whose products are next
  const int tid = threadIdx.x, group = tid / 128 - 1;
  const int q0 = blockIdx.x * kTile, head = blockIdx.y;
  const int tiles = ceil_div(seq, kTile), first = blockIdx.x * tiles;
  const int seen = causal ? min(tiles, q0 / kTile + 1) : tiles;
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
      fetch_bytes<kD>(q_tile, kv_tile, full_q, full, empty, q, k, turned, first,
                      seen, seq, q0);
  } else {
    take_registers<232>();
    const int row0 = q0 + group * 64 + tid / 32 % 4 * 16;
    Rows rows{{-INFINITY, -INFINITY}, {}, {}};
    float s[kTile / 2], out[kD / 2] = {};
    unsigned p[kTile / 32][4];
    const auto ask_scores = [&](int j) {
      const int use = j % 2 * 2;
      begin_step("scores", first + j);
      wait_phase(full[use], j / 2 % 2);
      wait_phase(turn[group], j % 2);
      sums_fence();
      for (int d = 0; d < kD; d += 32)
        multiply<kTile>(s, rows_of(q_tile[group * 64][d]),
                        rows_of(kv_tile[use * kTile][d]), d > 0);
      products_commit();
    };
    const auto ask_output = [&](int j) {
      const int use = j % 2 * 2 + 1;
      begin_step("output", first + j);
      wait_phase(full[use], j / 2 % 2);
      sums_fence();
      for (int n = 0; n < kTile; n += 32)
        multiply<kD>(out, p[n / 32], rows_of(kv_tile[use * kTile][n]), true);
      products_commit();
    };
    const auto weigh_scores = [&](int j) {
      if (tid % 128 == 0) arrive(empty[j % 2 * 2]);
      begin_step("softmax", first + j);
      weigh_tile<kTile>(s, rows, row0, j * kTile, seq, scale, causal);
    };
    if (group == 0) arrive(turn[0]);
    wait_phase(full_q[0], 0);
    ask_scores(0);
    arrive(turn[1 - group]);
    products_wait<0>();
    weigh_scores(0);
    pack_bytes<kTile>(p, s);
    for (int j = 1; j < seen; ++j) {
      ask_scores(j);
      ask_output(j - 1);
      arrive(turn[1 - group]);
      products_wait<1>();                          // the scores are there
      weigh_scores(j);
      products_wait<0>();                          // now O is
      if (tid % 128 == 0) arrive(empty[(j - 1) % 2 * 2 + 1]);
      show_scaled<kD>(out, row0, seq);
      if (__any_sync(~0u, rows.factor[0] < 1 || rows.factor[1] < 1))
        shrink<kD>(out, rows);                     // else no maximum moved
      pack_bytes<kTile>(p, s);
    }
    ask_output(seen - 1);
    products_wait<0>();
    show_scaled<kD>(out, row0, seq);
    begin_step("finish", first + seen - 1);
    each<kD>(out, row0, 0, [](float& x, int, int) { x /= kGain; });
    store_rows<kD, P>(o, l, out, rows, head * seq, row0, seq);
  }
}

template <class P, class T>
  requires(std::is_same_v<T, e4m3>)
void launch(Launcher<P>& gpu, View<const T, P> q, View<const T, P> k,
            View<const T, P> v, View<float, P> o, View<float, P> l,
            View<T, P> turned, const Settings& s) {
  for_tile<Tiles<128, 128>>(gpu, s, [&](auto t) {
    if constexpr (t.d >= 64) {                     // multiples of four lines
      const int rows = s.heads * s.seq, columns = s.heads * t.d;
      gpu.launch("turn_v", turn_v<t.d, P>, {ceil_div(s.seq, t.k), s.heads},
                 {256}, v, turned, s.seq);
      gpu.launch_shared(
          "fp8", fp8<t.d, P>, {ceil_div(s.seq, t.q), s.heads}, {384},
          kByteBoxes, boxes(q, rows, t.d, t.q), boxes(k, rows, t.d, t.k),
          boxes(turned, columns, turned_keys(s.seq), t.d), o, l, s.seq,
          s.scale() / kLn2, s.causal);
    }
  });
}
