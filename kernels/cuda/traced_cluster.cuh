// groups.cuh where kernels are traced: the blocks of a cluster, by PTX ("barrier.cluster", "mapa",
// "%cluster_ctarank"). Included by it alone, in no namespace. Below compute capability 9.0 a block is its own
// cluster.
#pragma once
#include "kernels/lab.cuh"

namespace lab {

template <class T>
struct FarView {
  const T* data;
  std::uint16_t view;  // of the block's own array
  struct Ref {
    const T* address;
    std::uint32_t offset;
    std::uint16_t view;
    At at;
    LAB_DEVICE operator T() const {
      record(at, view, offset, sizeof(T), Kind::load_cluster);
      return *address;
    }
  };
  LAB_DEVICE Ref operator[](At at) const {
    return {data + at.i, std::uint32_t(at.i * int(sizeof(T))), view, at};
  }
};
template <class V, class T>
LAB_DEVICE FarView<V> as(FarView<T> v) {
  return {reinterpret_cast<const V*>(v.data), v.view};
}

namespace cooperative_groups {

class cluster_group {
 public:
  LAB_DEVICE void sync(int line = __builtin_LINE(), std::uint16_t file = site_file(__builtin_FILE())) const {
    record(0, file, std::uint16_t(line), 0, 0, Kind::barrier);
#if __CUDA_ARCH__ >= 900
    // Not .aligned: traced lanes may come one by one.
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
#endif
  }
  LAB_DEVICE unsigned block_rank() const {
    unsigned rank = 0;
#if __CUDA_ARCH__ >= 900
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
    return rank;
  }
  LAB_DEVICE unsigned num_blocks() const {
    unsigned blocks = 1;
#if __CUDA_ARCH__ >= 900
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
#endif
    return blocks;
  }
  template <class T>
  LAB_DEVICE FarView<T> map_shared_rank(const TracedView<T>& row, unsigned rank) const {
    std::uint64_t address = reinterpret_cast<std::uint64_t>(row.data);
#if __CUDA_ARCH__ >= 900
    asm("mapa.u64 %0, %0, %1;" : "+l"(address) : "r"(rank));
#endif
    return {reinterpret_cast<const T*>(address), row.view};
  }
};
LAB_DEVICE cluster_group this_cluster() { return {}; }

}  // namespace cooperative_groups
}  // namespace lab
