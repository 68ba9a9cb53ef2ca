// Warp collectives, atomics, printf and bit intrinsics of the emulated dialect, under CUDA's names. Included
// by dialect.hpp alone.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdio>

namespace lab {
namespace detail {

using Op = simt::Collective::Op;

template <class T>
std::uint64_t bits_of(T x) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8, "write `float x = tile[i]` first");
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof x);
  return bits;
}
template <class T>
T from_bits(std::uint64_t bits) {
  T x;
  std::memcpy(static_cast<void*>(&x), &bits, sizeof x);
  return x;
}

// Whole numbers wrap, as on the GPU.
template <class T>
T sum(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
  else
    return a + b;
}
template <class T>
T difference(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(std::make_unsigned_t<T>(a) - std::make_unsigned_t<T>(b));
  else
    return a - b;
}

inline std::uint64_t meet(Op op, const char* name, unsigned mask, std::uint64_t value, int argument,
                          int width, int line, const char* file) {
  return simt::machine->collective({op, name, mask, value, argument, width, file, line});
}

}  // namespace detail

constexpr int warpSize = 32;

// --- shuffles: lane, delta or lane mask; `width` lanes per segment
// ------------------------------------------
#define LAB_SHUFFLE(name, op)                                                                        \
  template <class T>                                                                                 \
  T name(unsigned mask, T x, int argument, int width = 32, int line = __builtin_LINE(),              \
         const char* file = __builtin_FILE()) {                                                      \
    return detail::from_bits<T>(                                                                     \
        detail::meet(detail::Op::op, #name, mask, detail::bits_of(x), argument, width, line, file)); \
  }
LAB_SHUFFLE(__shfl_sync, shuffle_index)
LAB_SHUFFLE(__shfl_up_sync, shuffle_up)
LAB_SHUFFLE(__shfl_down_sync, shuffle_down)
LAB_SHUFFLE(__shfl_xor_sync, shuffle_xor)
#undef LAB_SHUFFLE

// --- votes, matches, reductions
// ------------------------------------------------------------------------------
#define LAB_MEET(result, name, op, argument)                                                         \
  inline result name(unsigned mask, argument x, int line = __builtin_LINE(),                         \
                     const char* file = __builtin_FILE()) {                                          \
    return result(detail::meet(detail::Op::op, #name, mask, detail::bits_of(x), 0, 32, line, file)); \
  }
LAB_MEET(int, __any_sync, any, int)
LAB_MEET(int, __all_sync, all, int)
LAB_MEET(unsigned, __ballot_sync, ballot, int)
LAB_MEET(unsigned, __reduce_add_sync, add, unsigned)
LAB_MEET(unsigned, __reduce_min_sync, min_unsigned, unsigned)
LAB_MEET(unsigned, __reduce_max_sync, max_unsigned, unsigned)
LAB_MEET(int, __reduce_add_sync, add, int)
LAB_MEET(int, __reduce_min_sync, min_signed, int)
LAB_MEET(int, __reduce_max_sync, max_signed, int)
LAB_MEET(unsigned, __reduce_and_sync, bit_and, unsigned)
LAB_MEET(unsigned, __reduce_or_sync, bit_or, unsigned)
LAB_MEET(unsigned, __reduce_xor_sync, bit_xor, unsigned)
#undef LAB_MEET
template <class T>
unsigned __match_any_sync(unsigned mask, T x, int line = __builtin_LINE(),
                          const char* file = __builtin_FILE()) {
  return unsigned(
      detail::meet(detail::Op::match_any, "__match_any_sync", mask, detail::bits_of(x), 0, 32, line, file));
}
template <class T>
unsigned __match_all_sync(unsigned mask, T x, int* alike, int line = __builtin_LINE(),
                          const char* file = __builtin_FILE()) {
  const auto lanes = unsigned(
      detail::meet(detail::Op::match_all, "__match_all_sync", mask, detail::bits_of(x), 0, 32, line, file));
  *alike = lanes != 0;
  return lanes;
}
inline void __syncwarp(unsigned mask = ~0u, int line = __builtin_LINE(),
                       const char* file = __builtin_FILE()) {
  detail::meet(detail::Op::sync, "__syncwarp", mask, 0, 0, 32, line, file);
}
// CUDA leaves open which lanes are together; here it is those that have not ended.
inline unsigned __activemask() { return lockstep::simt::machine->lanes_not_done(); }

// --- atomics: on &view[i] or &tile[r][c]; the _block and _system forms are the same here
// ------------------------
#define LAB_ATOMIC(name, expression)                                   \
  template <class Ref>                                                 \
  auto name(detail::Pointer<Ref> at, typename Ref::Value x) {          \
    using T = typename Ref::Value;                                     \
    return at.ref.exchange([x](T old) { return T(expression); });      \
  }                                                                    \
  template <class Ref>                                                 \
  auto name##_block(detail::Pointer<Ref> at, typename Ref::Value x) {  \
    return name(at, x);                                                \
  }                                                                    \
  template <class Ref>                                                 \
  auto name##_system(detail::Pointer<Ref> at, typename Ref::Value x) { \
    return name(at, x);                                                \
  }
LAB_ATOMIC(atomicAdd, detail::sum(old, x))
LAB_ATOMIC(atomicSub, detail::difference(old, x))
LAB_ATOMIC(atomicExch, ((void)old, x))
LAB_ATOMIC(atomicMin, x < old ? x : old)
LAB_ATOMIC(atomicMax, old < x ? x : old)
LAB_ATOMIC(atomicInc, old >= x ? T(0) : T(old + 1))
LAB_ATOMIC(atomicDec, old == T(0) || old > x ? x : T(old - 1))
LAB_ATOMIC(atomicAnd, old& x)
LAB_ATOMIC(atomicOr, old | x)
LAB_ATOMIC(atomicXor, old ^ x)
#undef LAB_ATOMIC
template <class Ref>
auto atomicCAS(detail::Pointer<Ref> at, typename Ref::Value compare, typename Ref::Value x) {
  using T = typename Ref::Value;
  return at.ref.exchange([compare, x](T old) { return old == compare ? x : old; });
}
template <class Ref>
typename Ref::Value __ldg(detail::Pointer<Ref> at) {
  return at.ref.load();
}
template <class Ref>
typename Ref::Value __ldcg(detail::Pointer<Ref> at) {
  return at.ref.load(lockstep::Kind::load_l2);
}
template <class Ref>
void __stcs(detail::Pointer<Ref> at, typename Ref::Value x) {
  at.ref.store(x);
}

// --- fences order what the emulator orders anyway
// -----------------------------------------------------------------
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}

// --- printf: kept with the run
// --------------------------------------------------------------------------------------
template <class... A>
int printf(const char* format, A... arguments) {
  char text[1024];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int length = std::snprintf(text, sizeof text, format, arguments...);
#pragma GCC diagnostic pop
  lockstep::simt::machine->print(text);
  return length < 0 ? length : int(sizeof...(A));  // as CUDA's: the number of arguments
}

// --- bits
// --------------------------------------------------------------------------------------------------------------
inline int __popc(unsigned x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
inline int __clz(int x) { return std::countl_zero(unsigned(x)); }
inline int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return x ? std::countr_zero(unsigned(x)) + 1 : 0; }
inline int __ffsll(long long x) { return x ? std::countr_zero(static_cast<unsigned long long>(x)) + 1 : 0; }
inline unsigned __brev(unsigned x) {
  unsigned y = 0;
  for (int i = 0; i < 32; ++i) y |= (x >> i & 1u) << (31 - i);
  return y;
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const std::uint64_t bytes = std::uint64_t(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned pick = selector >> (4 * i) & 7;
    result |= unsigned(bytes >> (8 * pick) & 0xff) << (8 * i);
  }
  return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  const std::uint64_t both = std::uint64_t(high) << 32 | low;
  return unsigned(both << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  const std::uint64_t both = std::uint64_t(high) << 32 | low;
  return unsigned(both >> (shift & 31));
}
inline int __mulhi(int x, int y) { return int(std::int64_t(x) * y >> 32); }
inline unsigned __umulhi(unsigned x, unsigned y) { return unsigned(std::uint64_t(x) * y >> 32); }
inline int __float_as_int(float x) { return detail::from_bits<int>(detail::bits_of(x)); }
inline float __int_as_float(int x) { return detail::from_bits<float>(detail::bits_of(x)); }
inline unsigned __float_as_uint(float x) { return detail::from_bits<unsigned>(detail::bits_of(x)); }
inline float __uint_as_float(unsigned x) { return detail::from_bits<float>(detail::bits_of(x)); }

}  // namespace lab
