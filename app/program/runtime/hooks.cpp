// What the compiler's ThreadSanitizer pass calls before every access of traced code; libtsan is not linked.
#include <cstring>

#include "tracer.hpp"

using lockstep::reader::tracer;

namespace {

// A copy of a struct: the hardware moves words.
void pieces(void* p, unsigned long bytes, bool store, void* pc) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  const std::uint32_t width = address % 4 == 0 && bytes % 4 == 0 ? 4 : address % 2 == 0 && bytes % 2 == 0 ? 2 : 1;
  std::uint32_t piece = store ? 1 : 2;
  for (unsigned long done = 0; done < bytes; done += width, piece += 2)
    tracer().access(static_cast<char*>(p) + done, width, store, false, pc, piece);
}

// Several members at once, of a type that asks for less: one access where it happens to stand right, else words.
void unaligned(void* p, std::uint32_t width, bool store, void* pc) {
  if (reinterpret_cast<std::uintptr_t>(p) % width == 0 && width <= 4)
    tracer().access(p, width, store, false, pc);
  else
    pieces(p, width, store, pc);
}

}  // namespace

#define LOCKSTEP_HOOKS(n)                                                                                           \
  void __tsan_read##n(void* p) { tracer().access(p, n, false, false, __builtin_return_address(0)); }               \
  void __tsan_write##n(void* p) { tracer().access(p, n, true, false, __builtin_return_address(0)); }               \
  void __tsan_unaligned_read##n(void* p) { unaligned(p, n, false, __builtin_return_address(0)); }     \
  void __tsan_unaligned_write##n(void* p) { unaligned(p, n, true, __builtin_return_address(0)); }     \
  void __tsan_volatile_read##n(void* p) { tracer().access(p, n, false, true, __builtin_return_address(0)); }       \
  void __tsan_volatile_write##n(void* p) { tracer().access(p, n, true, true, __builtin_return_address(0)); }       \
  void __tsan_unaligned_volatile_read##n(void* p) { tracer().access(p, n, false, true, __builtin_return_address(0)); } \
  void __tsan_unaligned_volatile_write##n(void* p) { tracer().access(p, n, true, true, __builtin_return_address(0)); }

extern "C" {
LOCKSTEP_HOOKS(1)
LOCKSTEP_HOOKS(2)
LOCKSTEP_HOOKS(4)
LOCKSTEP_HOOKS(8)
LOCKSTEP_HOOKS(16)
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_read_range(void* p, unsigned long n) { pieces(p, n, false, __builtin_return_address(0)); }
void __tsan_write_range(void* p, unsigned long n) { pieces(p, n, true, __builtin_return_address(0)); }

void* __wrap_memcpy(void* to, const void* from, unsigned long n) {
  if (tracer().machine) {
    pieces(const_cast<void*>(from), n, false, __builtin_return_address(0));
    pieces(to, n, true, __builtin_return_address(0));
  }
  return std::memcpy(to, from, n);
}
void* __wrap_memmove(void* to, const void* from, unsigned long n) {
  if (tracer().machine) {
    pieces(const_cast<void*>(from), n, false, __builtin_return_address(0));
    pieces(to, n, true, __builtin_return_address(0));
  }
  return std::memmove(to, from, n);
}
void* __wrap_memset(void* to, int value, unsigned long n) {
  if (tracer().machine) pieces(to, n, true, __builtin_return_address(0));
  return std::memset(to, value, n);
}
void* __tsan_memcpy(void* to, const void* from, unsigned long n) { return __wrap_memcpy(to, from, n); }
void* __tsan_memmove(void* to, const void* from, unsigned long n) { return __wrap_memmove(to, from, n); }
void* __tsan_memset(void* to, int value, unsigned long n) { return __wrap_memset(to, value, n); }

// C++ and compiler atomics (std::atomic, __atomic builtins) in traced code.
#define LOCKSTEP_TSAN_ATOMICS(n, T)                                                                            \
  T __tsan_atomic##n##_load(const volatile T* a, int) {                                                        \
    tracer().access(const_cast<T*>(a), n / 8, false, true, __builtin_return_address(0));                       \
    return *a;                                                                                                 \
  }                                                                                                            \
  void __tsan_atomic##n##_store(volatile T* a, T v, int) {                                                     \
    tracer().access(const_cast<T*>(a), n / 8, true, true, __builtin_return_address(0));                        \
    *a = v;                                                                                                    \
  }                                                                                                            \
  T __tsan_atomic##n##_exchange(volatile T* a, T v, int) {                                                     \
    tracer().atomic(const_cast<T*>(a), n / 8, __builtin_return_address(0));                                    \
    const T old = *a;                                                                                          \
    *a = v;                                                                                                    \
    return old;                                                                                                \
  }                                                                                                            \
  int __tsan_atomic##n##_compare_exchange_strong(volatile T* a, T* expected, T v, int, int) {                  \
    tracer().atomic(const_cast<T*>(a), n / 8, __builtin_return_address(0));                                    \
    if (*a == *expected) return *a = v, 1;                                                                     \
    *expected = *a;                                                                                            \
    return 0;                                                                                                  \
  }                                                                                                            \
  int __tsan_atomic##n##_compare_exchange_weak(volatile T* a, T* expected, T v, int x, int y) {                \
    return __tsan_atomic##n##_compare_exchange_strong(a, expected, v, x, y);                                   \
  }                                                                                                            \
  T __tsan_atomic##n##_compare_exchange_val(volatile T* a, T expected, T v, int, int) {                        \
    tracer().atomic(const_cast<T*>(a), n / 8, __builtin_return_address(0));                                    \
    const T old = *a;                                                                                          \
    if (old == expected) *a = v;                                                                               \
    return old;                                                                                                \
  }                                                                                                            \
  LOCKSTEP_TSAN_FETCH(n, T, add, T(old + v))                                                                   \
  LOCKSTEP_TSAN_FETCH(n, T, sub, T(old - v))                                                                   \
  LOCKSTEP_TSAN_FETCH(n, T, and, T(old & v))                                                                   \
  LOCKSTEP_TSAN_FETCH(n, T, or, T(old | v))                                                                    \
  LOCKSTEP_TSAN_FETCH(n, T, xor, T(old ^ v))                                                                   \
  LOCKSTEP_TSAN_FETCH(n, T, nand, T(~(old & v)))
#define LOCKSTEP_TSAN_FETCH(n, T, name, expression)                                 \
  T __tsan_atomic##n##_fetch_##name(volatile T* a, T v, int) {                      \
    tracer().atomic(const_cast<T*>(a), n / 8, __builtin_return_address(0));         \
    const T old = *a;                                                               \
    *a = expression;                                                                \
    return old;                                                                     \
  }
LOCKSTEP_TSAN_ATOMICS(8, std::uint8_t)
LOCKSTEP_TSAN_ATOMICS(16, std::uint16_t)
LOCKSTEP_TSAN_ATOMICS(32, std::uint32_t)
LOCKSTEP_TSAN_ATOMICS(64, std::uint64_t)
void __tsan_atomic_thread_fence(int) { tracer().fence(); }
void __tsan_atomic_signal_fence(int) {}
}
