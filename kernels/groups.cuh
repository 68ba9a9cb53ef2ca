// Cooperative groups for kernels: CUDA's own where kernels are timed; where they are traced or emulated, the block and
// its tiles on top of the dialect's primitives, so that every meeting is recorded. A rung that needs them names this
// file; the generated wrapper includes it before the rung's namespace opens. A kernel with __cluster_dims__(n, 1, 1)
// is launched by launch_cluster(n, ...).
#pragma once
#include "kernels/lab.cuh"

#if defined(__CUDACC__) && !defined(LAB_TRACED)
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900  // no clusters: a block is its own
namespace cooperative_groups {
struct cluster_group {
  LAB_DEVICE void sync() const { __syncthreads(); }
  LAB_DEVICE unsigned block_rank() const { return 0; }
  LAB_DEVICE unsigned num_blocks() const { return 1; }
  template <class T>
  LAB_DEVICE T* map_shared_rank(T* address, int) const {
    return address;
  }
};
LAB_DEVICE cluster_group this_cluster() { return {}; }
}  // namespace cooperative_groups
#endif
#else

namespace lab::cooperative_groups {

#ifdef __CUDACC__
#define LAB_GROUP __device__ __forceinline__
#else
#define LAB_GROUP
#endif

// The calling lane among all threads of the block.
LAB_DEVICE unsigned thread_of_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

class thread_block {
 public:
  LAB_GROUP void sync() const { __syncthreads(); }
  LAB_GROUP unsigned thread_rank() const { return thread_of_block(); }
  LAB_GROUP unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
  LAB_GROUP unsigned num_threads() const { return size(); }
};
LAB_DEVICE thread_block this_thread_block() { return {}; }

// kSize neighbouring lanes of a warp.
template <unsigned kSize>
class thread_block_tile {
  static_assert(kSize >= 1 && kSize <= 32 && (kSize & (kSize - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 lanes");
  LAB_GROUP unsigned first() const { return thread_of_block() % 32 / kSize * kSize; }
  LAB_GROUP unsigned mask() const { return (kSize == 32 ? ~0u : (1u << (kSize % 32)) - 1) << first(); }

 public:
  LAB_GROUP void sync() const { __syncwarp(mask()); }
  LAB_GROUP unsigned thread_rank() const { return thread_of_block() % kSize; }
  static constexpr LAB_GROUP unsigned size() { return kSize; }
  static constexpr LAB_GROUP unsigned num_threads() { return kSize; }
  LAB_GROUP unsigned meta_group_rank() const { return thread_of_block() / kSize; }
  LAB_GROUP unsigned meta_group_size() const { return (blockDim.x * blockDim.y * blockDim.z + kSize - 1) / kSize; }
  template <class T>
  LAB_GROUP T shfl(T x, int rank) const {
    return __shfl_sync(mask(), x, rank, int(kSize));
  }
  template <class T>
  LAB_GROUP T shfl_up(T x, unsigned delta) const {
    return __shfl_up_sync(mask(), x, int(delta), int(kSize));
  }
  template <class T>
  LAB_GROUP T shfl_down(T x, unsigned delta) const {
    return __shfl_down_sync(mask(), x, int(delta), int(kSize));
  }
  template <class T>
  LAB_GROUP T shfl_xor(T x, unsigned lanes) const {
    return __shfl_xor_sync(mask(), x, int(lanes), int(kSize));
  }
  LAB_GROUP int any(int x) const { return __any_sync(mask(), x); }
  LAB_GROUP int all(int x) const { return __all_sync(mask(), x); }
  LAB_GROUP unsigned ballot(int x) const { return __ballot_sync(mask(), x) >> first(); }
  template <class T>
  LAB_GROUP unsigned match_any(T x) const {
    return __match_any_sync(mask(), x) >> first();
  }
};
template <unsigned kSize>
LAB_DEVICE thread_block_tile<kSize> tiled_partition(const thread_block&) {
  return {};
}

template <class T>
struct plus {
  LAB_GROUP T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  LAB_GROUP T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  LAB_GROUP T operator()(T a, T b) const { return a < b ? b : a; }
};
// Every lane gets the result, as a butterfly of shuffles.
template <unsigned kSize, class T, class F>
LAB_DEVICE T reduce(const thread_block_tile<kSize>& tile, T x, F f) {
  for (unsigned lanes = kSize / 2; lanes > 0; lanes /= 2) x = f(x, tile.shfl_xor(x, lanes));
  return x;
}

#ifndef __CUDACC__
// Blocks run one after another here: a kernel that waits for the whole grid is refused by name.
class grid_group {
 public:
  void sync() const { lockstep::simt::machine->refuse_waiting("this_grid().sync()"); }
  unsigned long long size() const {
    return 1ull * gridDim.x * gridDim.y * gridDim.z * blockDim.x * blockDim.y * blockDim.z;
  }
};
inline grid_group this_grid() { return {}; }
#endif

#undef LAB_GROUP

}  // namespace lab::cooperative_groups
#endif

#if defined(__CUDACC__) && defined(LAB_TRACED)
#include "kernels/cuda/traced_cluster.cuh"
#elif !defined(__CUDACC__)
#include "kernels/simt/cluster.hpp"
#endif

#if !defined(__CUDACC__) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900)
#undef __cluster_dims__
#define __cluster_dims__(...)
#endif
