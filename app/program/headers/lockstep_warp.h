// Barriers, shuffles, votes, matches, warp reductions: the emulator's, by their documented semantics.
#pragma once
#pragma clang system_header

// Lanes and threads meet here: one call must not become two on either side of a branch.
#define LOCKSTEP_MEETING __attribute__((convergent))
extern "C" {
void lockstep_syncthreads() LOCKSTEP_MEETING;
int lockstep_syncthreads_reduced(int op, int value) LOCKSTEP_MEETING;  // 'c' count, '&' and, '|' or
// op: the place in this list: sync, shuffle index, up, down, xor, any, all, ballot, match any, match all, add, min
// signed, min unsigned, max signed, max unsigned, and, or, xor.
unsigned long long lockstep_collective(int op, const char* name, unsigned mask, unsigned long long value,
                                       int argument, int width) LOCKSTEP_MEETING;
unsigned lockstep_active_mask() LOCKSTEP_MEETING;
long long lockstep_clock();
void lockstep_grid_sync() LOCKSTEP_MEETING;
void lockstep_trap() __attribute__((noreturn));
void lockstep_nanosleep(unsigned);
}
LOCKSTEP_INLINE void __syncthreads() { lockstep_syncthreads(); }
LOCKSTEP_INLINE int __syncthreads_count(int x) { return lockstep_syncthreads_reduced('c', x); }
LOCKSTEP_INLINE int __syncthreads_and(int x) { return lockstep_syncthreads_reduced('&', x); }
LOCKSTEP_INLINE int __syncthreads_or(int x) { return lockstep_syncthreads_reduced('|', x); }
LOCKSTEP_INLINE void __syncwarp(unsigned mask = 0xffffffffu) { lockstep_collective(0, "__syncwarp", mask, 0, 0, 32); }
LOCKSTEP_INLINE unsigned __activemask() { return lockstep_active_mask(); }

#define LOCKSTEP_SHUFFLE(name, op)                                                                      \
  template <class T>                                                                                    \
  LOCKSTEP_INLINE T name(unsigned mask, T x, int argument, int width = 32) {                            \
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");                                   \
    return lockstep_from_word<T>(                                                                       \
        lockstep_collective(op, #name, mask, lockstep_to_word(x), argument, width));                    \
  }
LOCKSTEP_SHUFFLE(__shfl_sync, 1)
LOCKSTEP_SHUFFLE(__shfl_up_sync, 2)
LOCKSTEP_SHUFFLE(__shfl_down_sync, 3)
LOCKSTEP_SHUFFLE(__shfl_xor_sync, 4)
// As they were called until CUDA 9, of the lanes that are there.
#define LOCKSTEP_OLD_SHUFFLE(name)                                             \
  template <class T>                                                           \
  LOCKSTEP_INLINE T name(T x, int argument, int width = 32) {                  \
    return name##_sync(lockstep_active_mask(), x, argument, width);            \
  }
LOCKSTEP_OLD_SHUFFLE(__shfl)
LOCKSTEP_OLD_SHUFFLE(__shfl_up)
LOCKSTEP_OLD_SHUFFLE(__shfl_down)
LOCKSTEP_OLD_SHUFFLE(__shfl_xor)
#define LOCKSTEP_VOTE(result, name, op)                                    \
  LOCKSTEP_INLINE result name(unsigned mask, int x) {                      \
    return result(lockstep_collective(op, #name, mask, x != 0, 0, 32));    \
  }
LOCKSTEP_VOTE(int, __any_sync, 5)
LOCKSTEP_VOTE(int, __all_sync, 6)
LOCKSTEP_VOTE(unsigned, __ballot_sync, 7)
LOCKSTEP_INLINE int __any(int x) { return __any_sync(lockstep_active_mask(), x); }
LOCKSTEP_INLINE int __all(int x) { return __all_sync(lockstep_active_mask(), x); }
LOCKSTEP_INLINE unsigned __ballot(int x) { return __ballot_sync(lockstep_active_mask(), x); }
template <class T>
LOCKSTEP_INLINE unsigned __match_any_sync(unsigned mask, T x) {
  return unsigned(lockstep_collective(8, "__match_any_sync", mask, lockstep_to_word(x), 0, 32));
}
template <class T>
LOCKSTEP_INLINE unsigned __match_all_sync(unsigned mask, T x, int* alike) {
  const unsigned lanes = unsigned(lockstep_collective(9, "__match_all_sync", mask, lockstep_to_word(x), 0, 32));
  *alike = lanes != 0;
  return lanes;
}
#define LOCKSTEP_REDUCE(T, name, op)                                                              \
  LOCKSTEP_INLINE T name(unsigned mask, T x) {                                                    \
    return T(lockstep_collective(op, #name, mask, (unsigned long long)(unsigned)x, 0, 32));       \
  }
LOCKSTEP_REDUCE(unsigned, __reduce_add_sync, 10)
LOCKSTEP_REDUCE(int, __reduce_add_sync, 10)
LOCKSTEP_REDUCE(int, __reduce_min_sync, 11)
LOCKSTEP_REDUCE(unsigned, __reduce_min_sync, 12)
LOCKSTEP_REDUCE(int, __reduce_max_sync, 13)
LOCKSTEP_REDUCE(unsigned, __reduce_max_sync, 14)
LOCKSTEP_REDUCE(unsigned, __reduce_and_sync, 15)
LOCKSTEP_REDUCE(unsigned, __reduce_or_sync, 16)
LOCKSTEP_REDUCE(unsigned, __reduce_xor_sync, 17)

LOCKSTEP_INLINE void __nanosleep(unsigned ns) { lockstep_nanosleep(ns); }
LOCKSTEP_INLINE void __trap() { lockstep_trap(); }
LOCKSTEP_INLINE void __brkpt() {}
// The emulator states no time: of a kernel's clock only that it goes on.
LOCKSTEP_INLINE long long clock64() { return lockstep_clock(); }
LOCKSTEP_INLINE unsigned long long __nv_clock64() { return (unsigned long long)lockstep_clock(); }
LOCKSTEP_INLINE unsigned lockstep_lane_id() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}
// A pointer of the generic address space is one of every space here, and offsets are taken from where a block's
// shared memory begins.
extern "C" unsigned long lockstep_shared_address(const void*);
LOCKSTEP_INLINE unsigned long __cvta_generic_to_shared(const void* at) { return lockstep_shared_address(at); }
LOCKSTEP_INLINE unsigned long __cvta_generic_to_global(const void* at) { return (unsigned long)at; }
