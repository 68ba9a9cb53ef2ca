// Warp matrices (CUDA C++ Programming Guide, "Warp Matrix Functions"): 16 x 16 x 16 of half or bfloat16. Which lane
// holds which element is left open there; here it is as mma.sync m16n8k16 has it.
#pragma once
#pragma clang system_header
#ifndef LOCKSTEP_DEVICE_H
#include "lockstep_device.h"
#endif
#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
namespace precision {
struct tf32;
}
enum layout_t { mem_row_major, mem_col_major };

template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment {
  static_assert(M == 16 && N == 16 && K == 16 && sizeof(T) <= 4, "warp matrices are 16 x 16 x 16 here");
  static constexpr int num_elements = 8;
  T x[8];
};

// Row and column of the running lane's element i.
LOCKSTEP_INLINE void lockstep_place_a(int i, int& row, int& col) {
  const int lane = int(lockstep_lane_id());
  row = lane / 4 + (i % 4 < 2 ? 0 : 8), col = lane % 4 * 2 + i % 2 + (i < 4 ? 0 : 8);
}
LOCKSTEP_INLINE void lockstep_place_b(int i, int& row, int& col) {
  const int lane = int(lockstep_lane_id());
  row = lane % 4 * 2 + i % 2 + (i % 4 < 2 ? 0 : 8), col = lane / 4 + (i < 4 ? 0 : 8);
}
LOCKSTEP_INLINE void lockstep_place_c(int i, int& row, int& col) {
  const int lane = int(lockstep_lane_id());
  row = lane / 4 + (i % 4 < 2 ? 0 : 8), col = lane % 4 * 2 + i % 2 + (i < 4 ? 0 : 8);
}
template <class Use>
LOCKSTEP_INLINE void lockstep_place(int i, int& row, int& col) {
  if constexpr (std::is_same<Use, matrix_a>::value)
    lockstep_place_a(i, row, col);
  else if constexpr (std::is_same<Use, matrix_b>::value)
    lockstep_place_b(i, row, col);
  else
    lockstep_place_c(i, row, col);
}

template <class Use, int M, int N, int K, class T, class Layout, class V>
LOCKSTEP_INLINE void fill_fragment(fragment<Use, M, N, K, T, Layout>& f, V value) {
  for (int i = 0; i < 8; ++i) f.x[i] = T(value);
}
template <class Use, int M, int N, int K, class T, class Layout, class P>
LOCKSTEP_INLINE void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& f, const P* at, unsigned step) {
  for (int i = 0; i < 8; ++i) {
    int row, col;
    lockstep_place<Use>(i, row, col);
    f.x[i] = std::is_same<Layout, col_major>::value ? at[col * step + row] : at[row * step + col];
  }
  __syncwarp();
}
template <int M, int N, int K, class T>
LOCKSTEP_INLINE void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const T* at, unsigned step, layout_t layout) {
  for (int i = 0; i < 8; ++i) {
    int row, col;
    lockstep_place_c(i, row, col);
    f.x[i] = layout == mem_col_major ? at[col * step + row] : at[row * step + col];
  }
  __syncwarp();
}
template <int M, int N, int K, class T>
LOCKSTEP_INLINE void store_matrix_sync(T* at, const fragment<accumulator, M, N, K, T>& f, unsigned step, layout_t layout) {
  for (int i = 0; i < 8; ++i) {
    int row, col;
    lockstep_place_c(i, row, col);
    (layout == mem_col_major ? at[col * step + row] : at[row * step + col]) = f.x[i];
  }
  __syncwarp();
}
template <int M, int N, int K, class D, class A, class LA, class LB, class C>
LOCKSTEP_INLINE void mma_sync(fragment<accumulator, M, N, K, D>& d, const fragment<matrix_a, M, N, K, A, LA>& a,
                              const fragment<matrix_b, M, N, K, A, LB>& b, const fragment<accumulator, M, N, K, C>& c,
                              bool = false) {
  static_assert(sizeof(A) == 2, "warp matrices hold half or bfloat16 here");
  float sum[8];
  unsigned left[4], right[4];
  for (int i = 0; i < 8; ++i) sum[i] = float(c.x[i]);
  __builtin_memcpy(left, a.x, sizeof left);
  __builtin_memcpy(right, b.x, sizeof right);
  const int is_bfloat = std::is_same<A, __nv_bfloat16>::value;
  lockstep_mma_m16n8k16(sum, left, right, is_bfloat);
  lockstep_mma_m16n8k16(sum + 4, left, right + 2, is_bfloat);
  for (int i = 0; i < 8; ++i) d.x[i] = D(sum[i]);
}

}  // namespace wmma
}  // namespace nvcuda
