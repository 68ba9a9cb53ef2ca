// Cooperative groups: blocks, tiles of a warp, the lanes that are together, and the grid (CUDA C++ Programming Guide,
// "Cooperative Groups").
#pragma once
#pragma clang system_header
#ifndef LOCKSTEP_DEVICE_H
#include "lockstep_device.h"
#endif

namespace cooperative_groups {

LOCKSTEP_INLINE unsigned lockstep_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
LOCKSTEP_INLINE unsigned lockstep_threads() { return blockDim.x * blockDim.y * blockDim.z; }

class thread_block {
 public:
  LOCKSTEP_INLINE static void sync() { lockstep_syncthreads(); }
  LOCKSTEP_INLINE static unsigned thread_rank() { return lockstep_rank(); }
  LOCKSTEP_INLINE static unsigned size() { return lockstep_threads(); }
  LOCKSTEP_INLINE static unsigned num_threads() { return lockstep_threads(); }
  LOCKSTEP_INLINE static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  LOCKSTEP_INLINE static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  LOCKSTEP_INLINE static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  LOCKSTEP_INLINE static dim3 dim_threads() { return group_dim(); }
};
LOCKSTEP_INLINE thread_block this_thread_block() { return {}; }

class thread_group {
 public:
  LOCKSTEP_INLINE thread_group(unsigned mask, unsigned rank, unsigned size) : mask_(mask), rank_(rank), size_(size) {}
  LOCKSTEP_INLINE thread_group(const thread_block&) : mask_(0), rank_(lockstep_rank()), size_(lockstep_threads()) {}
  LOCKSTEP_INLINE void sync() const {
    if (mask_) lockstep_collective(0, "sync", mask_, 0, 0, 32);
    else lockstep_syncthreads();
  }
  LOCKSTEP_INLINE unsigned thread_rank() const { return rank_; }
  LOCKSTEP_INLINE unsigned size() const { return size_; }
  LOCKSTEP_INLINE unsigned num_threads() const { return size_; }
  LOCKSTEP_INLINE unsigned lockstep_mask() const { return mask_; }

 protected:
  unsigned mask_, rank_, size_;
};

LOCKSTEP_INLINE unsigned lockstep_tile_mask(unsigned size) {
  const unsigned lanes = size >= 32 ? 0xffffffffu : (1u << size) - 1;
  const unsigned mask = lanes << (lockstep_rank() % 32 / size * size);
  const unsigned first = lockstep_rank() / 32 * 32, left = lockstep_threads() - first;
  return left >= 32 ? mask : mask & ((1u << left) - 1);
}

template <unsigned Size, class Parent = thread_block>
class thread_block_tile : public thread_group {
 public:
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "tiles have 1, 2, 4, 8, 16 or 32 threads here");
  LOCKSTEP_INLINE thread_block_tile() : thread_group(lockstep_tile_mask(Size), lockstep_rank() % Size, Size) {}
  LOCKSTEP_INLINE unsigned meta_group_rank() const { return lockstep_rank() / Size; }
  LOCKSTEP_INLINE unsigned meta_group_size() const { return (lockstep_threads() + Size - 1) / Size; }
  template <class T>
  LOCKSTEP_INLINE T shfl(T x, int lane) const { return __shfl_sync(mask_, x, lane, int(Size)); }
  template <class T>
  LOCKSTEP_INLINE T shfl_down(T x, unsigned delta) const { return __shfl_down_sync(mask_, x, int(delta), int(Size)); }
  template <class T>
  LOCKSTEP_INLINE T shfl_up(T x, unsigned delta) const { return __shfl_up_sync(mask_, x, int(delta), int(Size)); }
  template <class T>
  LOCKSTEP_INLINE T shfl_xor(T x, unsigned lanes) const { return __shfl_xor_sync(mask_, x, int(lanes), int(Size)); }
  LOCKSTEP_INLINE int any(int x) const { return __any_sync(mask_, x); }
  LOCKSTEP_INLINE int all(int x) const { return __all_sync(mask_, x); }
  LOCKSTEP_INLINE unsigned ballot(int x) const {
    return __ballot_sync(mask_, x) >> (lockstep_rank() % 32 / Size * Size);
  }
  template <class T>
  LOCKSTEP_INLINE unsigned match_any(T x) const { return __match_any_sync(mask_, x); }
};

class coalesced_group : public thread_group {
 public:
  LOCKSTEP_INLINE explicit coalesced_group(unsigned mask)
      : thread_group(mask, unsigned(__builtin_popcount(mask & ((1u << lockstep_rank() % 32) - 1))),
                     unsigned(__builtin_popcount(mask))) {}
  LOCKSTEP_INLINE int lane_of(unsigned rank) const {
    unsigned rest = mask_;
    for (; rank > 0; --rank) rest &= rest - 1;
    return __builtin_ctz(rest);
  }
  template <class T>
  LOCKSTEP_INLINE T shfl(T x, int rank) const { return __shfl_sync(mask_, x, lane_of(unsigned(rank)), 32); }
  template <class T>
  LOCKSTEP_INLINE T shfl_down(T x, unsigned delta) const {
    return __shfl_sync(mask_, x, lane_of(rank_ + delta < size_ ? rank_ + delta : rank_), 32);
  }
  template <class T>
  LOCKSTEP_INLINE T shfl_up(T x, unsigned delta) const {
    return __shfl_sync(mask_, x, lane_of(rank_ >= delta ? rank_ - delta : rank_), 32);
  }
  LOCKSTEP_INLINE int any(int x) const { return __any_sync(mask_, x); }
  LOCKSTEP_INLINE int all(int x) const { return __all_sync(mask_, x); }
  LOCKSTEP_INLINE unsigned ballot(int x) const { return __ballot_sync(mask_, x); }
};
LOCKSTEP_INLINE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
template <class Group>
LOCKSTEP_INLINE coalesced_group binary_partition(const Group& group, bool here) {
  const unsigned mask = group.lockstep_mask(), with = __ballot_sync(mask, here);
  return coalesced_group(here ? with : mask & ~with);
}
template <class Group, class Label>
LOCKSTEP_INLINE coalesced_group labeled_partition(const Group& group, Label label) {
  return coalesced_group(__match_any_sync(group.lockstep_mask(), label));
}

class grid_group {
 public:
  LOCKSTEP_INLINE void sync() const { lockstep_grid_sync(); }
  LOCKSTEP_INLINE bool is_valid() const { return true; }
  LOCKSTEP_INLINE unsigned long long thread_rank() const {
    return (unsigned long long)(blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)) * lockstep_threads() +
           lockstep_rank();
  }
  LOCKSTEP_INLINE unsigned long long size() const {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * lockstep_threads();
  }
  LOCKSTEP_INLINE unsigned long long num_threads() const { return size(); }
  LOCKSTEP_INLINE unsigned block_rank() const { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }
  LOCKSTEP_INLINE unsigned num_blocks() const { return gridDim.x * gridDim.y * gridDim.z; }
  LOCKSTEP_INLINE dim3 group_dim() const { return gridDim; }
};
LOCKSTEP_INLINE grid_group this_grid() { return {}; }

template <unsigned Size, class Parent>
LOCKSTEP_INLINE thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}
template <class Parent>
LOCKSTEP_INLINE thread_group tiled_partition(const Parent&, unsigned size) {
  return thread_group(lockstep_tile_mask(size), lockstep_rank() % size, size);
}
template <class Group>
LOCKSTEP_INLINE void sync(const Group& group) {
  group.sync();
}

template <class T>
struct plus {
  LOCKSTEP_INLINE T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  LOCKSTEP_INLINE T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  LOCKSTEP_INLINE T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  LOCKSTEP_INLINE T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  LOCKSTEP_INLINE T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  LOCKSTEP_INLINE T operator()(T a, T b) const { return a ^ b; }
};
template <unsigned Size, class Parent, class T, class F>
LOCKSTEP_INLINE T reduce(const thread_block_tile<Size, Parent>& tile, T x, F f) {
  for (unsigned lanes = Size / 2; lanes > 0; lanes /= 2) x = f(x, tile.shfl_xor(x, lanes));
  return x;
}
template <class T, class F>
LOCKSTEP_INLINE T reduce(const coalesced_group& group, T x, F f) {
  T sum = group.shfl(x, 0);
  for (unsigned r = 1; r < group.size(); ++r) sum = f(sum, group.shfl(x, int(r)));
  return sum;
}
template <unsigned Size, class Parent, class T, class F>
LOCKSTEP_INLINE T inclusive_scan(const thread_block_tile<Size, Parent>& tile, T x, F f) {
  for (unsigned d = 1; d < Size; d *= 2) {
    const T other = tile.shfl_up(x, d);
    if (tile.thread_rank() >= d) x = f(other, x);
  }
  return x;
}
template <unsigned Size, class Parent, class T>
LOCKSTEP_INLINE T inclusive_scan(const thread_block_tile<Size, Parent>& tile, T x) {
  return inclusive_scan(tile, x, plus<T>());
}
template <unsigned Size, class Parent, class T>
LOCKSTEP_INLINE T exclusive_scan(const thread_block_tile<Size, Parent>& tile, T x) {
  return inclusive_scan(tile, x) - x;
}

}  // namespace cooperative_groups
