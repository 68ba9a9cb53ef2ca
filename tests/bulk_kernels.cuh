// Kernels with boxes, barriers and products of warpgroups, for the emulator's tests and for a GPU: what mistakes do
// is asked of the same text.
#pragma once
#include "kernels/bulk.cuh"
#include "kernels/matrix.cuh"

namespace bulk_test {
using namespace lab;

enum class Mistake {
  none,
  no_publish,           // the copy engine may not see the barriers
  no_sync_after_init,   // the others may not see them either
  full_parity,          // consumers wait for the phase before
  empty_parity,         // the producer waits for the wrong one
  never_waits_full,     // multiplies at once
  never_waits_empty,    // copies over what is being read
  released_early,       // gives the buffer back before the products have ended
  one_group_releases,   // empty is initialised for fewer arrivals than there are groups
  too_many_releases,    // every warp gives the buffer back
  too_few_bytes,        // one box of the two is not announced
  too_many_bytes,       // more than come
  arrives_without_bytes,
  never_releases,
  no_sums_fence,
  no_products_wait,     // stores sums on their way
  half_a_warpgroup,     // two of four warps multiply
  next_buffer,          // multiplies the buffer after the one waited for
  waits_other_barrier,  // full of one buffer, products of another
  exits_early,          // the producer leaves while a box is on its way
  half_of_b,            // multiplies columns of B that nobody has copied
  consumer_keeps_phase, // the consumers never turn their parity
  producer_keeps_phase,
  two_producers,        // two threads fetch
  beyond_the_tile,      // a box one buffer too far
  no_init,
  no_arrivals,          // a barrier for 0 arrivals
  releases_full,        // gives back at the wrong barrier
  peeks,                // reads an element before it has waited
  scribbles,            // a thread stores where a product reads
  stores_unfenced,      // a thread's store that the tensor cores may not see
  touches_sums,         // adds to sums on their way
  between_units,        // a box that starts at an odd column
  between_rows,         // and one that lands between two rows
  waits_for_one_less,   // leaves the last group on its way
};

template <int kBN>
constexpr int boxed_bytes(int stages) {
  return stages * (128 + kBN) * 128;
}

// C = A B; a producer warp and two warpgroups that multiply. m, n, k of any size; k and n multiples of 8.
template <int kBN, int kStages, Mistake kWrong, class P>
LAB_KERNEL_OF(384, 1)
void specialized(LAB_BOXES const Boxes<const bf16, P> a, LAB_BOXES const Boxes<const bf16, P> b,
                 View<float, P> c, int m, int n, int k) {
  constexpr auto is = [](Mistake x) { return kWrong == x; };
  DYNAMIC_BOXES(bf16, a_tile, kStages * 128, 0);
  DYNAMIC_BOXES(bf16, b_tile, kStages * kBN, kStages * 128 * 128);
  SHARED_BARRIERS(full, kStages);
  SHARED_BARRIERS(empty, kStages);
  const int row0 = blockIdx.y * 128, col0 = blockIdx.x * kBN;
  const int group = threadIdx.x / 128 - 1, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      init_barrier(full[s], 1);
      if constexpr (is(Mistake::no_init)) continue;
      init_barrier(empty[s], is(Mistake::no_arrivals) ? 0 : is(Mistake::one_group_releases) ? 1 : 2);
    }
    if constexpr (!is(Mistake::no_publish)) publish_barriers();
  }
  if constexpr (!is(Mistake::no_sync_after_init)) __syncthreads();

  if (group < 0) {
    if (threadIdx.x > (is(Mistake::two_producers) ? 1 : 0)) return;
    int s = 0, phase = 0;
    for (int k0 = 0; k0 < k; k0 += 64) {
      if constexpr (!is(Mistake::never_waits_empty))
        wait_phase(empty[s], is(Mistake::empty_parity) ? phase : phase ^ 1);
      const int fetched = is(Mistake::too_few_bytes)    ? 128
                          : is(Mistake::half_of_b)      ? 192
                          : is(Mistake::too_many_bytes) ? 130 + kBN
                                                        : 128 + kBN;
      if constexpr (is(Mistake::arrives_without_bytes)) arrive(full[s]);
      else arrive_expecting(full[s], fetched * 128);
      const int at = is(Mistake::beyond_the_tile) ? s + 1 : s;
      copy_box(a_tile[at * 128][is(Mistake::between_rows) ? 8 : 0], a, row0,
               is(Mistake::between_units) ? k0 + 1 : k0, full[s]);
      for (int j = 0; j < kBN; j += 64)
        if (!is(Mistake::half_of_b) || j == 0)
          copy_box(b_tile[s * kBN + j][0], b, k0, col0 + j, full[s]);
      s = s + 1 == kStages ? 0 : s + 1;
      if (s == 0 && !is(Mistake::producer_keeps_phase)) phase ^= 1;
      if constexpr (is(Mistake::exits_early)) return;
    }
    return;
  }
  if constexpr (is(Mistake::exits_early)) return;
  float sum[kBN / 2];  // the first product defines them
  int s = 0, phase = 0, last = -1;
  const auto release = [&](int use) {
    if (is(Mistake::never_releases)) return;
    if (threadIdx.x % (is(Mistake::too_many_releases) ? 32 : 128) == 0) {
      if constexpr (is(Mistake::releases_full)) arrive(full[use]);
      else arrive(empty[use]);
    }
  };
  for (int k0 = 0; k0 < k; k0 += 64) {
    if constexpr (is(Mistake::peeks))
      if (unsigned(a_tile[s * 128][0]) == 1) sum[0] = 1;
    const int waited = is(Mistake::waits_other_barrier) ? (s + 1) % kStages : s;
    if constexpr (!is(Mistake::never_waits_full))
      wait_phase(full[waited], is(Mistake::full_parity) ? phase ^ 1 : phase);
    const int use = is(Mistake::next_buffer) ? (s + 1) % kStages : s;
    if constexpr (is(Mistake::stores_unfenced))
      if (threadIdx.x % 128 == 0) a_tile[use * 128 + group * 64][0] = bf16(0);
    if constexpr (!is(Mistake::no_sums_fence)) sums_fence();
    if (!is(Mistake::half_a_warpgroup) || threadIdx.x % 128 < 64) {
      for (int p = 0; p < 64; p += 16)
        multiply<kBN>(sum, rows_of(a_tile[use * 128 + group * 64][p]),
                      columns_of(b_tile[use * kBN + p][0], 8192), k0 > 0 || p > 0);
      products_commit();
    }
    if constexpr (is(Mistake::touches_sums)) sum[0] += 1;
    if constexpr (is(Mistake::scribbles))
      if (threadIdx.x % 128 == 0) a_tile[use * 128 + group * 64][0] = bf16(0);
    if constexpr (is(Mistake::released_early)) release(s);
    products_wait<1>();
    if (!is(Mistake::released_early) && last >= 0) release(last);
    last = s;
    s = s + 1 == kStages ? 0 : s + 1;
    if (s == 0 && !is(Mistake::consumer_keeps_phase)) phase ^= 1;
  }
  if constexpr (!is(Mistake::no_products_wait)) products_wait<is(Mistake::waits_for_one_less) ? 1 : 0>();
  const int row = row0 + group * 64 + threadIdx.x % 128 / 32 * 16 + lane / 4;
  for (int j = 0; j < kBN / 8; ++j)
    for (int r = 0; r < 4; ++r) {
      const int y = row + r / 2 * 8, x = col0 + 8 * j + lane % 4 * 2 + r % 2;
      if (y < m && x < n) c[y * n + x] = sum[4 * j + r];
    }
}

enum class InRegisters { right, changed_early, unfenced, not_awaited, returned_early, between_units };

// C 64 x 64 = A 64 x 64 times B 64 x 64, A in registers, twice: B's tile is fetched again for the second time.
template <InRegisters kWrong, class P>
LAB_KERNEL_OF(160)
void from_registers(View<const float, P> a, LAB_BOXES const Boxes<const bf16, P> b, View<float, P> c) {
  DYNAMIC_BOXES(bf16, b_tile, 64, 0);
  SHARED_BARRIERS(full, 1);
  SHARED_BARRIERS(empty, 1);
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  if (tid == 0) {
    init_barrier(full[0], 1);
    init_barrier(empty[0], 1);
    publish_barriers();
  }
  __syncthreads();
  if (tid >= 128) {
    if (tid > 128) return;
    for (int turn = 0; turn < 2; ++turn) {
      wait_phase(empty[0], turn ^ 1);
      arrive_expecting(full[0], 64 * 128);
      copy_box(b_tile[0][0], b, 0, 0, full[0]);
    }
    return;
  }
  float sum[32] = {};
  unsigned rows[4][4];
  const auto fill = [&](float scale) {
    for (int p = 0; p < 4; ++p)
      for (int i = 0; i < 4; ++i) {
        const int at = (warp * 16 + i % 2 * 8 + lane / 4) * 64 + 16 * p + i / 2 * 8 + lane % 4 * 2;
        const float x = a[at], y = a[at + 1];
        rows[p][i] = pack(scale * x, scale * y);
      }
  };
  for (int turn = 0; turn < 2; ++turn) {
    fill(1);
    wait_phase(full[0], turn);
    if (kWrong != InRegisters::unfenced) sums_fence();
    const int first = kWrong == InRegisters::between_units ? 4 : 0;
    for (int p = 0; p < 4; ++p) multiply<64>(sum, rows[p], columns_of(b_tile[16 * p][first], 8192), true);
    products_commit();
    if (kWrong == InRegisters::changed_early) fill(2);
    if (kWrong == InRegisters::returned_early && tid == 0) arrive(empty[0]);
    if (kWrong != InRegisters::not_awaited || turn == 0) products_wait<0>();
    if (kWrong != InRegisters::returned_early && tid == 0) arrive(empty[0]);
  }
  for (int j = 0; j < 32; ++j)
    c[(warp * 16 + j / 2 % 2 * 8 + lane / 4) * 64 + j / 4 * 8 + lane % 4 * 2 + j % 2] = sum[j];
}

// What a box looks like where it lands: the bytes of shared memory, in order.
template <class P>
LAB_KERNEL_OF(128)
void land(LAB_BOXES const Boxes<const bf16, P> a, View<unsigned, P> out, int rows, int row, int col) {
  DYNAMIC_BOXES(bf16, tile, 128, 0);
  SHARED_BARRIERS(full, 1);
  if (threadIdx.x == 0) {
    init_barrier(full[0], 1);
    publish_barriers();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    arrive_expecting(full[0], rows * 128);
    copy_box(tile[0][0], a, row, col, full[0]);
  }
  wait_phase(full[0], 0);
  for (int i = threadIdx.x; i < rows * 32; i += 128) out[i] = as<unsigned>(tile)[i / 32][i % 32];
}

// Chunks of 128 words that one thread asks for, two at a time: out = 2 in.
enum class Chunked { right, not_awaited, filled_early, fewer_bytes, beyond, from_odd, to_odd, of_100_bytes };

template <Chunked kWrong, class P>
LAB_KERNEL_OF(128)
void chunked(View<const unsigned, P> in, View<unsigned, P> out, int n) {
  constexpr auto is = [](Chunked x) { return kWrong == x; };
  DYNAMIC_CHUNKS(unsigned, ring, 2, 128, 0);
  SHARED_BARRIERS(full, 2);
  const int tid = threadIdx.x;
  const auto fetch = [&](int first, int stage) {
    const int bytes = is(Chunked::of_100_bytes) ? 100 : 512;
    arrive_expecting(full[stage], is(Chunked::fewer_bytes) ? bytes - 128 : bytes);
    copy_bulk(ring[stage][is(Chunked::to_odd) ? 4 : 0], in[first + (is(Chunked::from_odd) ? 4 : 0)], bytes,
              full[stage]);
  };
  if (tid == 0) {
    for (int s = 0; s < 2; ++s) init_barrier(full[s], 1);
    publish_barriers();
    for (int s = 0; s < 2; ++s)
      if (s * 128 < n) fetch(s * 128, s);
  }
  __syncthreads();
  for (int k = 0; 128 * k < n; ++k) {
    const int stage = k % 2, next = 128 * (k + 2);
    if (!is(Chunked::not_awaited)) wait_phase(full[stage], k / 2 % 2);
    if (is(Chunked::filled_early) && tid == 0 && next < n) fetch(next, stage);
    out[128 * k + tid] = 2 * ring[stage][tid];
    __syncthreads();
    if (!is(Chunked::filled_early) && tid == 0 && next < n)
      fetch(is(Chunked::beyond) ? next + 128 : next, stage);
  }
}

}  // namespace bulk_test
