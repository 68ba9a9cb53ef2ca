// groups.cuh on the emulator: the blocks of a cluster. Included by it alone, in no namespace.
#pragma once
#include "kernels/lab.cuh"

namespace lab {

// An array of another block of the cluster: it can be read.
template <class T>
struct FarRow {
  lockstep::simt::SharedArray* array;  // this block's own
  unsigned rank;
  struct Ref {
    FarRow row;
    At at;
    T load() const {
      using namespace lockstep;
      simt::Machine& m = *simt::machine;
      const std::int64_t offset = at.i * std::int64_t(sizeof(T));
      const std::uint8_t* const from =
          m.in_block(row.rank, *row.array, offset, sizeof(T), m.file_id_of(at.file), at.line);
      if (!from) return detail::poison<T>();
      detail::record(at, std::uint32_t(offset), row.array->id, sizeof(T), Kind::load_cluster);
      T x;
      std::memcpy(static_cast<void*>(&x), from, sizeof x);
      return x;
    }
    operator T() const { return load(); }
  };
  Ref operator[](At at) const { return {*this, at}; }
};
template <class V, class T>
FarRow<V> as(FarRow<T> row) {
  return {row.array, row.rank};
}

namespace cooperative_groups {

class cluster_group {
 public:
  void sync(const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    lockstep::simt::machine->cluster_barrier(file, line);
  }
  unsigned block_rank() const { return unsigned(lockstep::simt::machine->cluster_rank()); }
  unsigned num_blocks() const { return unsigned(lockstep::simt::machine->cluster_size()); }
  template <class T>
  FarRow<T> map_shared_rank(SharedRow<T> row, unsigned rank) const {
    return {row.array, rank};
  }
};
inline cluster_group this_cluster() { return {}; }

}  // namespace cooperative_groups
}  // namespace lab
