// Named barriers of a block (PTX ISA, "barrier.cta"), of which there are 16; number 0 is that of __syncthreads(). The
// same text for the GPU and the emulator. Whole warps come to them.
//
//   barrier_sync(id, 64)     waits until 64 threads have come to barrier `id`, this one among them
//   barrier_arrive(id, 64)   comes to it and goes on: a producer tells, who waits with barrier_sync(id, 64) consumes
//
// All who come until it is complete name the same number of threads, a multiple of 32; then it begins anew.
#pragma once
#include "kernels/lab.cuh"

#ifdef __CUDACC__
namespace lab {
namespace units {
LAB_DEVICE void barrier_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
LAB_DEVICE void barrier_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
}  // namespace units
#ifdef LAB_TRACED
LAB_DEVICE void barrier_sync(int id, int threads, int line = __builtin_LINE(),
                             std::uint16_t file = site_file(__builtin_FILE())) {
  record(lockstep::named_barrier(id, threads), file, std::uint16_t(line), 0, 0, Kind::sync_named);
  units::barrier_sync(id, threads);
}
LAB_DEVICE void barrier_arrive(int id, int threads, int line = __builtin_LINE(),
                               std::uint16_t file = site_file(__builtin_FILE())) {
  record(lockstep::named_barrier(id, threads), file, std::uint16_t(line), 0, 0, Kind::arrive_named);
  units::barrier_arrive(id, threads);
}
#else
LAB_DEVICE void barrier_sync(int id, int threads) { units::barrier_sync(id, threads); }
LAB_DEVICE void barrier_arrive(int id, int threads) { units::barrier_arrive(id, threads); }
#endif
}  // namespace lab
#else
#include "kernels/simt/named_barriers.hpp"
#endif
