// barriers.cuh on the emulator. Included by it alone.
#pragma once
#include "async_units.hpp"
#include "kernels/lab.cuh"

namespace lab {
namespace detail {
inline simt::Where come_to(int id, int threads, Kind kind, int line, const char* file) {
  record(At(0, line, file), named_barrier(id, threads), 0, 0, kind);
  return {simt::machine->file_id_of(file), line};
}
}  // namespace detail

inline void barrier_sync(int id, int threads, int line = __builtin_LINE(),
                         const char* file = __builtin_FILE()) {
  auto& units = lockstep::simt::machine->async();
  units.sync_named(id, threads, detail::come_to(id, threads, lockstep::Kind::sync_named, line, file));
}
inline void barrier_arrive(int id, int threads, int line = __builtin_LINE(),
                           const char* file = __builtin_FILE()) {
  auto& units = lockstep::simt::machine->async();
  units.arrive_named(id, threads, detail::come_to(id, threads, lockstep::Kind::arrive_named, line, file));
}

}  // namespace lab
