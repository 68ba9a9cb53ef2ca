// Kernels with boxes of tensors, reductions of the copy engine, products of fp16 and e5m2, named barriers and launches
// that overlap, for the emulator's tests and for a GPU.
#pragma once
#include "kernels/barriers.cuh"
#include "kernels/bulk.cuh"
#include "kernels/dependents.cuh"
#include "tensor_cases.hpp"

namespace bulk_test {
using namespace lab;

// The first extents of a case.
template <int kDimensions>
Shape<kDimensions> shape_of(const int (&extents)[5]) {
  Shape<kDimensions> s;
  for (int d = 0; d < kDimensions; ++d) s.at[d] = extents[d];
  return s;
}

constexpr int kTileRows = kTileBytes / 512;  // of 128 words

// What a box looks like where it lands: all of the tile, whose other words are 0xa5a5a5a5.
template <class T, int kDimensions, class P>
LAB_KERNEL_OF(128)
void land_tensor(LAB_BOXES const Tensor<const T, kDimensions, P> t, View<unsigned, P> out, BoxPlace place, int bytes,
                 int first) {
  DYNAMIC_CHUNKS(unsigned, tile, kTileRows, 128, 0);
  SHARED_BARRIERS(full, 1);
  const int tid = threadIdx.x;
  if (tid == 0) {
    init_barrier(full[0], 1);
    publish_barriers();
  }
  for (int r = 0; r < kTileRows; ++r) tile[r][tid] = 0xa5a5a5a5u;
  store_fence();
  __syncthreads();
  if (tid == 0) {
    int at[kDimensions];
    for (int d = 0; d < kDimensions; ++d) at[d] = place.at[d];
    arrive_expecting(full[0], bytes);
    copy_tensor(tile[0][first], t, at, full[0]);
  }
  wait_phase(full[0], 0);
  for (int r = 0; r < kTileRows; ++r) out[r * 128 + tid] = unsigned(tile[r][tid]);
}

// The box goes from shared memory to the tensor: each block brings count / gridDim.x values of its own.
template <class T, int kDimensions, Reduction kHow, class P>
LAB_KERNEL_OF(128)
void send_tensor(LAB_BOXES const Tensor<T, kDimensions, P> t, View<const T, P> values, BoxPlace place, int count) {
  constexpr int kCols = 512 / int(sizeof(T));
  DYNAMIC_CHUNKS(T, tile, kTileRows, kCols, 0);
  const int tid = threadIdx.x, first = blockIdx.x * count;
  for (int i = tid; i < count; i += 128) {
    const T x = values[first + i];
    tile[i / kCols][i % kCols] = x;
  }
  store_fence();
  __syncthreads();
  if (tid > 0) return;
  int at[kDimensions];
  for (int d = 0; d < kDimensions; ++d) at[d] = place.at[d];
  if constexpr (kHow == Reduction::none) store_tensor(t, at, tile[0][0]);
  else reduce_tensor<kHow>(t, at, tile[0][0]);
  stores_commit();
  stores_written<0>();
}

// The same of bytes as they stand: out[i] of each block's `count` values.
template <class T, Reduction kHow, class P>
LAB_KERNEL_OF(128)
void send_bytes(View<const T, P> values, View<T, P> out, int count) {
  constexpr int kCols = 512 / int(sizeof(T));
  DYNAMIC_CHUNKS(T, tile, kTileRows, kCols, 0);
  const int tid = threadIdx.x, first = blockIdx.x * count;
  for (int i = tid; i < count; i += 128) {
    const T x = values[first + i];
    tile[i / kCols][i % kCols] = x;
  }
  store_fence();
  __syncthreads();
  if (tid > 0) return;
  const int bytes = count * int(sizeof(T));
  if constexpr (kHow == Reduction::none) store_bulk(out[first], tile[0][0], bytes);
  else reduce_bulk<kHow>(out[0], tile[0][0], bytes);
  stores_commit();
  stores_written<0>();
}

// c 64 x N = A times B, the rows of A 128 bytes long. B stands n by k, or k by n (kByColumns).
template <class T, int kN, bool kByColumns, bool kInRegisters, class P>
LAB_KERNEL_OF(128)
void product_of(LAB_BOXES const Boxes<const T, P> a, LAB_BOXES const Boxes<const T, P> b,
                View<const unsigned, P> a_words, View<float, P> c) {
  constexpr int kStep = 32 / int(sizeof(T));  // elements of a product along k
  DYNAMIC_BOXES(T, a_tile, 64, 0);
  DYNAMIC_BOXES(T, b_tile, kN, 64 * 128);
  SHARED_BARRIERS(full, 1);
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  if (tid == 0) {
    init_barrier(full[0], 1);
    publish_barriers();
  }
  __syncthreads();
  if (tid == 0) {
    arrive_expecting(full[0], (64 + kN) * 128);
    copy_box(a_tile[0][0], a, 0, 0, full[0]);
    if constexpr (kByColumns)
      for (int n = 0; n < kN; n += 64) copy_box(b_tile[n][0], b, 0, n, full[0]);
    else copy_box(b_tile[0][0], b, 0, 0, full[0]);
  }
  float sum[kN / 2];
  for (int i = 0; i < kN / 2; ++i) sum[i] = 0;
  unsigned rows[4][4];
  for (int p = 0; p < 4; ++p)
    for (int i = 0; i < 4; ++i)
      rows[p][i] = a_words[(warp * 16 + i % 2 * 8 + lane / 4) * 32 + 8 * p + i / 2 * 4 + lane % 4];
  wait_phase(full[0], 0);
  sums_fence();
  for (int p = 0; p < 4; ++p) {
    if constexpr (kInRegisters && kByColumns)
      multiply<kN>(sum, rows[p], columns_of(b_tile[p * kStep][0], 8192), true);
    else if constexpr (kInRegisters) multiply<kN>(sum, rows[p], rows_of(b_tile[0][p * kStep]), true);
    else if constexpr (kByColumns)
      multiply<kN>(sum, rows_of(a_tile[0][p * kStep]), columns_of(b_tile[p * kStep][0], 8192), p > 0);
    else multiply<kN>(sum, rows_of(a_tile[0][p * kStep]), rows_of(b_tile[0][p * kStep]), p > 0);
  }
  products_commit();
  products_wait<0>();
  for (int j = 0; j < kN / 2; ++j)
    c[(warp * 16 + j / 2 % 2 * 8 + lane / 4) * kN + j / 4 * 8 + lane % 4 * 2 + j % 2] = sum[j];
}

// e5m2 of floats, four at a time.
template <class P>
LAB_KERNEL_OF(128)
void narrow_e5m2(View<const float, P> in, View<unsigned, P> out, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) {
    const float x = in[4 * i], y = in[4 * i + 1], z = in[4 * i + 2], w = in[4 * i + 3];
    out[i] = pack_e5m2(x, y, z, w);
  }
}

// Two warps write, two add up what they have written, `rounds` times, with no barrier of the whole block.
enum class Named {
  right,
  never_given_back,   // the consumers say nothing
  never_told,         // nor the producers
  half_the_count,     // the consumers name 64 threads, the producers 128
  not_warps,          // 100 threads
  too_many,           // more threads than the block has
  number_16,          // there are 0 to 15
  half_a_warp,        // 16 lanes of each warp come
  not_waited,         // reads without having come to the barrier
  early,              // gives back before it has read
  once_too_often,     // comes once more, and nobody with it
  as_syncthreads,     // number 0, while others stand at __syncthreads()
};

template <Named kWrong, class P>
LAB_KERNEL_OF(128)
void named(View<int, P> out, int rounds) {
  constexpr auto is = [](Named x) { return kWrong == x; };
  SHARED(int, tile, 64);
  const int tid = threadIdx.x;
  const int full = is(Named::number_16) ? 16 : is(Named::as_syncthreads) ? 0 : 1, empty = 2;
  const int count = is(Named::not_warps) ? 100 : is(Named::too_many) ? 160 : 128;
  if constexpr (is(Named::as_syncthreads)) {
    if (tid < 64) barrier_sync(full, 64);
    __syncthreads();
  } else if (tid < 64) {
    for (int round = 0; round < rounds; ++round) {
      if (round > 0) barrier_sync(empty, 128);
      tile[tid] = 1000 * round + tid;
      if (!is(Named::never_told) && (!is(Named::half_a_warp) || tid % 32 < 16)) barrier_arrive(full, count);
    }
    if constexpr (is(Named::once_too_often)) barrier_arrive(full, count);
  } else {
    for (int round = 0; round < rounds; ++round) {
      if constexpr (!is(Named::not_waited)) barrier_sync(full, is(Named::half_the_count) ? 64 : count);
      if (is(Named::early) && round + 1 < rounds) barrier_arrive(empty, 128);
      const int x = tile[tid - 64], y = tile[(tid + 1) % 64];
      out[round * 64 + tid - 64] = x + 2 * y;
      if (!is(Named::early) && !is(Named::never_given_back) && round + 1 < rounds) barrier_arrive(empty, 128);
    }
  }
}

// Two launches, the second of which may begin before the first has ended.
template <class P>
LAB_KERNEL_OF(128)
void writes_first(View<int, P> data, int n) {
  launch_dependents();
  const int i = blockIdx.x * 128 + threadIdx.x;
  unsigned x = i;
  for (int k = 0; k < 1000; ++k) x = x * 1664525u + 1013904223u;
  if (i < n) data[i] = static_cast<int>(x);
}
template <class P>
LAB_KERNEL_OF(128)
void reads_then(View<const int, P> data, View<int, P> out, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  wait_prerequisites();
  if (i < n) out[i] = data[n - 1 - i] ^ i;
}

}  // namespace bulk_test
