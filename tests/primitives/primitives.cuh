// One kernel per primitive of the dialect, written as a rung would write it. Included by both builds.
#pragma once
#include <cmath>
#include <cstring>

#include "kernels/lab.cuh"
#include "kernels/groups.cuh"
#include "kernels/half.cuh"
#include "kernels/pipeline.cuh"
#include "primitives.hpp"

namespace lab::tested {

namespace cg = cooperative_groups;

using ::primitives::kCellWord;
using ::primitives::kMaskWord;
using ::primitives::kUniformWord;
using ::primitives::kWordsIn;
using ::primitives::kWordsOut;
using Wide = unsigned long long;
using Signed = long long;

// --- bits ------------------------------------------------------------------------------------------------------
LAB_DEVICE Wide both(unsigned a, unsigned b) { return Wide(a) << 32 | b; }
template <class To, class From>
LAB_DEVICE To same_bits(From x) {
  To y;
  memcpy(&y, &x, sizeof y);
  return y;
}
LAB_DEVICE float float_of(unsigned a) { return same_bits<float>(a); }
LAB_DEVICE double double_of(Wide a) { return same_bits<double>(a); }
LAB_DEVICE uint2 words(unsigned x) { return {x, 0}; }
LAB_DEVICE uint2 words(int x) { return {unsigned(x), 0}; }
LAB_DEVICE uint2 words(float x) { return {same_bits<unsigned>(x), 0}; }
LAB_DEVICE uint2 words(Wide x) { return {unsigned(x), unsigned(x >> 32)}; }
LAB_DEVICE uint2 words(long long x) { return words(Wide(x)); }
LAB_DEVICE uint2 words(double x) { return words(same_bits<Wide>(x)); }
// Which of the many NaNs comes out is left open.
LAB_DEVICE unsigned canonical(float x) { return x != x ? 0x7fffffffu : same_bits<unsigned>(x); }
// Exponents far from overflow.
LAB_DEVICE float finite(unsigned a) { return float_of((a & 0x9fffffffu) | 0x20000000u); }
// Near a power of two between the formats' smallest and largest numbers: ties and the last place.
LAB_DEVICE float near_one(unsigned a, unsigned b) {
  return float_of((a & 0x80000000u) | (97 + b % 48) << 23 | (a & 0x007fffffu & (b & 64 ? 0x007ff000u : ~0u)));
}

// The lane that a shuffle reads (PTX ISA, shfl.sync), so that an undefined value is not compared.
LAB_DEVICE int source_index(int lane, int argument, int width) {
  return (lane & ~(width - 1)) | (argument & 31 & (width - 1));
}
LAB_DEVICE int source_up(int lane, int argument, int width) {
  const int from = lane - (argument & 31);
  return from < (lane & ~(width - 1)) ? lane : from;
}
LAB_DEVICE int source_down(int lane, int argument, int width) {
  const int from = lane + (argument & 31);
  return from > (lane | (width - 1)) ? lane : from;
}
LAB_DEVICE int source_xor(int lane, int argument, int width) {
  const int from = lane ^ (argument & 31);
  return from > (lane | (width - 1)) ? lane : from;
}

// --- what a lane does: a, b, d differ from lane to lane, c is the same for all ----------------------------------
#define LAB_WARP(name, ...)                                                                                       \
  struct name {                                                                                                   \
    LAB_DEVICE static uint2 run([[maybe_unused]] unsigned mask, [[maybe_unused]] int lane,                        \
                                [[maybe_unused]] unsigned a, [[maybe_unused]] unsigned b,                         \
                                [[maybe_unused]] unsigned c, [[maybe_unused]] unsigned d) {                       \
      __VA_ARGS__                                                                                                 \
    }                                                                                                             \
  };
#define LAB_SHUFFLE_OF(kind, call, T, suffix, value)                                                              \
  LAB_WARP(shuffle_##kind##_##suffix, const int width = 1 << (c % 6), argument = int(d % 40);                     \
           const T x = call(mask, T(value), argument, width);                                                     \
           return mask >> source_##kind(lane, argument, width) & 1 ? words(x) : uint2{0xdeadu, 0};)
#define LAB_SHUFFLES(kind, call)                                                                                  \
  LAB_SHUFFLE_OF(kind, call, int, int, a)                                                                         \
  LAB_SHUFFLE_OF(kind, call, float, float, float_of(a))                                                           \
  LAB_SHUFFLE_OF(kind, call, Signed, long_long, both(a, b))                                                       \
  LAB_SHUFFLE_OF(kind, call, double, double, double_of(both(a, b)))
LAB_SHUFFLES(index, __shfl_sync)
LAB_SHUFFLES(up, __shfl_up_sync)
LAB_SHUFFLES(down, __shfl_down_sync)
LAB_SHUFFLES(xor, __shfl_xor_sync)
LAB_WARP(vote_any, return words(__any_sync(mask, a % 8 == 0));)
LAB_WARP(vote_all, return words(__all_sync(mask, a % 64 != 0));)
LAB_WARP(ballot, return words(__ballot_sync(mask, a & 1));)
LAB_WARP(match_any_32, return words(__match_any_sync(mask, a % 5));)
LAB_WARP(match_any_64, return words(__match_any_sync(mask, both(a % 3, b % 3)));)
LAB_WARP(match_all_32, int alike = 0; const unsigned lanes = __match_all_sync(mask, c % 2 ? a % 2 : 7u, &alike);
         return uint2{lanes, unsigned(alike)};)
LAB_WARP(match_all_64, int alike = 0; const unsigned lanes = __match_all_sync(mask, both(7, c % 2 ? a % 2 : 7u), &alike);
         return uint2{lanes, unsigned(alike)};)
LAB_WARP(reduce_add_unsigned, return words(__reduce_add_sync(mask, a));)
LAB_WARP(reduce_min_unsigned, return words(__reduce_min_sync(mask, a));)
LAB_WARP(reduce_max_unsigned, return words(__reduce_max_sync(mask, a));)
LAB_WARP(reduce_add_signed, return words(__reduce_add_sync(mask, int(a)));)
LAB_WARP(reduce_min_signed, return words(__reduce_min_sync(mask, int(a)));)
LAB_WARP(reduce_max_signed, return words(__reduce_max_sync(mask, int(a)));)
LAB_WARP(reduce_and, return words(__reduce_and_sync(mask, a | b | d));)
LAB_WARP(reduce_or, return words(__reduce_or_sync(mask, a & b & d));)
LAB_WARP(reduce_xor, return words(__reduce_xor_sync(mask, a));)
LAB_WARP(popc, return uint2{unsigned(__popc(a)), unsigned(__popcll(both(a, b)))};)
LAB_WARP(clz, return uint2{unsigned(__clz(int(a >> (b % 32)))), unsigned(__clzll((long long)(both(a, b) >> (d % 64))))};)
LAB_WARP(ffs, return uint2{unsigned(__ffs(int(a << (b % 32)))), unsigned(__ffsll((long long)(both(a, b) << (d % 64))))};)
LAB_WARP(brev, return words(__brev(a));)
LAB_WARP(byte_perm, return words(__byte_perm(a, b, d & 0x7777));)
LAB_WARP(funnelshift, return uint2{__funnelshift_l(a, b, d), __funnelshift_r(a, b, d)};)
LAB_WARP(mulhi, return uint2{unsigned(__mulhi(int(a), int(b))), __umulhi(a, b)};)
LAB_WARP(float_bits, return uint2{__float_as_uint(__uint_as_float(a)), unsigned(__float_as_int(__int_as_float(int(b))))};)
LAB_WARP(float_fma, return words(canonical(fmaf(finite(a), finite(b), finite(d))));)
LAB_WARP(float_sqrt, return words(canonical(sqrtf(fabsf(finite(a)))));)
LAB_WARP(float_divide, return words(canonical(finite(a) / finite(b)));)

// --- fp16 and bf16: two of each per word -------------------------------------------------------------------------
LAB_DEVICE __half fp16(unsigned bits) { return __ushort_as_half((unsigned short)(bits)); }
LAB_DEVICE __nv_bfloat16 bf16(unsigned bits) { return __ushort_as_bfloat16((unsigned short)(bits)); }
LAB_DEVICE unsigned out16(__half x) { return __hisnan(x) ? 0x7fffu : __half_as_ushort(x); }
LAB_DEVICE unsigned out16(__nv_bfloat16 x) { return __hisnan(x) ? 0x7fffu : __bfloat16_as_ushort(x); }
LAB_DEVICE uint2 out2(__half2 x) { return {out16(__low2half(x)), out16(__high2half(x))}; }
LAB_DEVICE uint2 out2(__nv_bfloat162 x) { return {out16(__low2bfloat16(x)), out16(__high2bfloat16(x))}; }
LAB_DEVICE __half2 fp16_two(unsigned a) { return __halves2half2(fp16(a), fp16(a >> 16)); }
LAB_DEVICE __nv_bfloat162 bf16_two(unsigned a) { return __halves2bfloat162(bf16(a), bf16(a >> 16)); }
#define LAB_NARROW_BINARY(of, name, call) \
  LAB_WARP(of##_##name, return uint2{out16(call(of(a), of(b))), out16(call(of(a >> 16), of(d)))};)
#define LAB_NARROW(of, from_float, from_double, to_float)                                                             \
  LAB_NARROW_BINARY(of, add, __hadd)                                                                                  \
  LAB_NARROW_BINARY(of, sub, __hsub)                                                                                  \
  LAB_NARROW_BINARY(of, mul, __hmul)                                                                                  \
  LAB_NARROW_BINARY(of, div, __hdiv)                                                                                  \
  LAB_NARROW_BINARY(of, max, __hmax)                                                                                  \
  LAB_NARROW_BINARY(of, min, __hmin)                                                                                  \
  LAB_WARP(of##_fma, return uint2{out16(__hfma(of(a), of(b), of(d))), out16(__hfma(of(a >> 16), of(b >> 16), of(d >> 16)))};) \
  LAB_WARP(of##_neg_abs, return uint2{out16(__hneg(of(a))), out16(__habs(of(b)))};)                                   \
  LAB_WARP(of##_compare, const unsigned e = d % 4 ? 0xffffu : 0x8001u; const auto x = of(a & e), y = of(b & e);       \
           return uint2{unsigned(__heq(x, y)) | unsigned(__hne(x, y)) << 1 | unsigned(__hlt(x, y)) << 2 |             \
                       unsigned(__hle(x, y)) << 3 | unsigned(__hgt(x, y)) << 4 | unsigned(__hge(x, y)) << 5,          \
                   unsigned(__hisnan(of(a)))};)                                                                       \
  LAB_WARP(of##_from_float, return uint2{out16(from_float(float_of(a))), out16(from_float(near_one(b, d)))};)         \
  LAB_WARP(of##_from_double, return uint2{out16(from_double(double_of(both(a, b)))),                                  \
                                     out16(from_double(double(near_one(b, d)) * (1 + double(int(a)) * 0x1p-60)))};)   \
  LAB_WARP(of##_to_float, return uint2{canonical(to_float(of(a))), canonical(to_float(of(a >> 16)))};)                \
  LAB_WARP(of##_two_add, return out2(__hadd2(of##_two(a), of##_two(b)));)                                             \
  LAB_WARP(of##_two_mul, return out2(__hmul2(of##_two(a), of##_two(b)));)                                             \
  LAB_WARP(of##_two_fma, return out2(__hfma2(of##_two(a), of##_two(b), of##_two(d)));)
LAB_NARROW(fp16, __float2half_rn, __double2half, __half2float)
LAB_NARROW(bf16, __float2bfloat16_rn, __double2bfloat16, __bfloat162float)

// --- atomics: x differs from lane to lane, u is the same for all; the end does not depend on the order ------------
#define LAB_ATOMIC_TEST(name, type, first, mine, ...)                                                             \
  struct name {                                                                                                   \
    using T = type;                                                                                               \
    LAB_DEVICE static T start([[maybe_unused]] unsigned a, [[maybe_unused]] unsigned b) { return T(first); }      \
    LAB_DEVICE static T value([[maybe_unused]] unsigned a, [[maybe_unused]] unsigned b) { return T(mine); }       \
    template <class Pointer>                                                                                      \
    LAB_DEVICE static void apply(Pointer p, [[maybe_unused]] T x, [[maybe_unused]] T u) {                         \
      __VA_ARGS__;                                                                                                \
    }                                                                                                             \
  };
#define LAB_INTEGER_ATOMICS(type, suffix, bits)                                                \
  LAB_ATOMIC_TEST(add_##suffix, type, bits, bits, atomicAdd(p, x))                             \
  LAB_ATOMIC_TEST(exchange_##suffix, type, bits, bits, atomicExch(p, u))                       \
  LAB_ATOMIC_TEST(compare_swap_##suffix, type, (bits) & 1, bits, atomicCAS(p, T(u & 1), u))    \
  LAB_ATOMIC_TEST(min_##suffix, type, bits, bits, atomicMin(p, x))                             \
  LAB_ATOMIC_TEST(max_##suffix, type, bits, bits, atomicMax(p, x))                             \
  LAB_ATOMIC_TEST(and_##suffix, type, bits, bits, atomicAnd(p, T(x | T(0xf0f0f0f0))))          \
  LAB_ATOMIC_TEST(or_##suffix, type, bits, bits, atomicOr(p, T(x & u)))                        \
  LAB_ATOMIC_TEST(xor_##suffix, type, bits, bits, atomicXor(p, x))
LAB_INTEGER_ATOMICS(int, int, a)
LAB_INTEGER_ATOMICS(unsigned, unsigned, a)
LAB_INTEGER_ATOMICS(Wide, wide, both(a, b))
LAB_ATOMIC_TEST(min_signed_wide, long long, both(a, b), both(a, b), atomicMin(p, x))
LAB_ATOMIC_TEST(max_signed_wide, long long, both(a, b), both(a, b), atomicMax(p, x))
LAB_ATOMIC_TEST(sub_int, int, a, a, atomicSub(p, x))
LAB_ATOMIC_TEST(sub_unsigned, unsigned, a, a, atomicSub(p, x))
LAB_ATOMIC_TEST(inc_unsigned, unsigned, a % 60, a, atomicInc(p, u % 50))
LAB_ATOMIC_TEST(dec_unsigned, unsigned, a % 60, a, atomicDec(p, u % 50))
LAB_ATOMIC_TEST(add_float, float, a % 1000, int(a % 2001) - 1000, atomicAdd(p, x))
LAB_ATOMIC_TEST(add_double, double, a % 1000, int(a % 2001) - 1000, atomicAdd(p, x))

// --- kernels -------------------------------------------------------------------------------------------------------
template <class Op, class P>
LAB_KERNEL void warp_primitive(View<const unsigned, P> in, View<unsigned, P> out) {
  const int lane = threadIdx.x, first = blockIdx.x * kWordsIn;
  const unsigned mask = in[first + kMaskWord];
  const unsigned a = in[first + lane], b = in[first + 32 + lane], c = in[first + kUniformWord], d = in[first + 96 + lane];
  if (!(mask >> lane & 1)) return;
  const uint2 r = Op::run(mask, lane, a, b, c, d);
  out[blockIdx.x * kWordsOut + lane] = r.x;
  out[blockIdx.x * kWordsOut + 32 + lane] = r.y;
}

// The lanes of the mask do it to one cell; each reports what stands there at the end.
template <class Op, class P>
LAB_KERNEL void shared_atomic(View<const unsigned, P> in, View<unsigned, P> out) {
  using T = typename Op::T;
  SHARED(T, cell, 2);
  const int lane = threadIdx.x, first = blockIdx.x * kWordsIn;
  const unsigned mask = in[first + kMaskWord], a = in[first + lane], b = in[first + 32 + lane];
  const unsigned u = in[first + kUniformWord], v = in[first + kUniformWord + 1];
  if (!(mask >> lane & 1)) return;
  if (lane == __ffs(int(mask)) - 1) cell[0] = Op::start(u, v);
  __syncwarp(mask);
  Op::apply(&cell[0], Op::value(a, b), Op::value(v, u));
  __syncwarp(mask);
  const T x = cell[0];
  const uint2 r = words(x);
  out[blockIdx.x * kWordsOut + lane] = r.x;
  out[blockIdx.x * kWordsOut + 32 + lane] = r.y;
}

template <class Op, class P>
LAB_KERNEL void global_atomic(View<const unsigned, P> in, View<unsigned, P> out) {
  using T = typename Op::T;
  const int lane = threadIdx.x, first = blockIdx.x * kWordsIn;
  const int cell = (blockIdx.x * kWordsOut + kCellWord) * 4 / int(sizeof(T));
  const unsigned mask = in[first + kMaskWord], a = in[first + lane], b = in[first + 32 + lane];
  const unsigned u = in[first + kUniformWord], v = in[first + kUniformWord + 1];
  if (!(mask >> lane & 1)) return;
  if (lane == __ffs(int(mask)) - 1) as<T>(out)[cell] = Op::start(u, v);
  __syncwarp(mask);
  Op::apply(&as<T>(out)[cell], Op::value(a, b), Op::value(v, u));
}

// Each lane reads what the next lane of the mask has written.
template <class P>
LAB_KERNEL void syncwarp(View<const unsigned, P> in, View<unsigned, P> out) {
  SHARED(unsigned, tile, 32);
  const int lane = threadIdx.x, first = blockIdx.x * kWordsIn;
  const unsigned mask = in[first + kMaskWord];
  const unsigned a = in[first + lane];
  if (!(mask >> lane & 1)) return;
  tile[lane] = a;
  __syncwarp(mask);
  const unsigned above = lane == 31 ? 0 : mask >> (lane + 1) << (lane + 1);
  out[blockIdx.x * kWordsOut + lane] = tile[__ffs(int(above ? above : mask)) - 1];
}

template <class P>
LAB_KERNEL void ldg(View<const unsigned, P> in, View<unsigned, P> out) {
  const int lane = threadIdx.x;
  out[blockIdx.x * kWordsOut + lane] = __ldg(&in[blockIdx.x * kWordsIn + lane]);
}

template <class P>
LAB_KERNEL void vector_loads(View<const unsigned, P> in, View<unsigned, P> out) {
  const int lane = threadIdx.x, first = blockIdx.x * kWordsIn;
  const uint4 x = as<const uint4>(in)[first / 4 + lane];
  const uint2 y = as<const uint2>(in)[first / 2 + lane];
  as<uint2>(out)[blockIdx.x * kWordsOut / 2 + lane] = make_uint2(x.x ^ x.w, x.y + y.y);
  as<uint2>(out)[blockIdx.x * kWordsOut / 2 + 32 + lane] = make_uint2(x.z, y.x);
}

// Three groups of copies, awaited one after another.
template <class P>
LAB_KERNEL void cp_async_groups(View<const unsigned, P> in, View<unsigned, P> out) {
  SHARED(unsigned, words4, 32);
  SHARED(uint2, words8, 32);
  SHARED(uint4, words16, 32);
  const int lane = threadIdx.x, first = blockIdx.x * kWordsIn;
  copy_async(words4[lane], in[first + lane]);
  copy_async_commit();
  copy_async(words8[lane], as<const uint2>(in)[first / 2 + lane]);
  copy_async_commit();
  copy_async(words16[lane], as<const uint4>(in)[first / 4 + lane]);
  copy_async_commit();
  copy_async_wait<2>();
  const unsigned x = words4[lane];
  copy_async_wait<1>();
  const uint2 y = words8[lane];
  copy_async_wait<0>();
  const uint4 z = words16[lane];
  __syncthreads();
  const uint4 other = words16[(lane + 1) % 32];
  out[blockIdx.x * kWordsOut + lane] = x ^ y.x ^ z.w;
  out[blockIdx.x * kWordsOut + 32 + lane] = y.y + z.x + other.z;
}

// A ring of three stages, two in flight.
template <class P>
LAB_KERNEL void pipeline_stages(View<const unsigned, P> in, View<unsigned, P> out) {
  SHARED(unsigned, stage, 3, 32);
  const int lane = threadIdx.x, first = blockIdx.x * kWordsIn;
  const Pipeline pipeline = make_pipeline();
  unsigned sum = 0;
  for (int k = 0; k < 6; ++k) {
    if (k < 4) {
      pipeline.producer_acquire();
      memcpy_async(stage[k % 3][lane], in[first + 32 * k + lane], pipeline);
    }
    pipeline.producer_commit();
    if (k < 2) continue;
    pipeline.template consumer_wait_prior<2>();
    const unsigned x = stage[(k - 2) % 3][lane];
    sum = 31 * sum + x;
    pipeline.consumer_release();
  }
  out[blockIdx.x * kWordsOut + lane] = sum;
}

template <unsigned kSize>
LAB_DEVICE unsigned tile_shuffle(unsigned a, unsigned b) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<kSize>(block);
  const unsigned down = tile.shfl_down(a, 1), up = tile.shfl_up(a, 1), x = tile.shfl_xor(a, kSize / 2);
  const unsigned broadcast = tile.shfl(b, int(kSize - 1));
  return down ^ 3 * up ^ 5 * x ^ 7 * broadcast ^ unsigned(tile.thread_rank()) << 8 ^
         unsigned(tile.meta_group_rank()) << 16;
}
template <class P>
LAB_KERNEL void tile_shuffles(View<const unsigned, P> in, View<unsigned, P> out) {
  const int lane = threadIdx.x, first = blockIdx.x * kWordsIn;
  const unsigned a = in[first + lane], b = in[first + 32 + lane];
  out[blockIdx.x * kWordsOut + lane] = tile_shuffle<4>(a, b) ^ tile_shuffle<8>(a, b);
  out[blockIdx.x * kWordsOut + 32 + lane] = tile_shuffle<16>(a, b) ^ tile_shuffle<32>(a, b);
}

template <class P>
LAB_KERNEL void tile_votes(View<const unsigned, P> in, View<unsigned, P> out) {
  const int lane = threadIdx.x, first = blockIdx.x * kWordsIn;
  const unsigned a = in[first + lane];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const unsigned votes = unsigned(tile.any(a % 16 == 0)) | unsigned(tile.all(a % 4 != 0)) << 1;
  out[blockIdx.x * kWordsOut + lane] = votes | unsigned(tile.ballot(a & 1)) << 8;
  out[blockIdx.x * kWordsOut + 32 + lane] = tile.match_any(a % 3);
}

template <class P>
LAB_KERNEL void tile_reduce(View<const unsigned, P> in, View<unsigned, P> out) {
  const int lane = threadIdx.x, first = blockIdx.x * kWordsIn;
  const unsigned a = in[first + lane];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  const auto warp = cg::tiled_partition<32>(block);
  out[blockIdx.x * kWordsOut + lane] = cg::reduce(tile, a, cg::plus<unsigned>());
  out[blockIdx.x * kWordsOut + 32 + lane] =
      unsigned(cg::reduce(warp, int(a), cg::less<int>())) ^ unsigned(cg::reduce(warp, int(a), cg::greater<int>()));
}

template <class P>
LAB_KERNEL void block_group(View<const unsigned, P> in, View<unsigned, P> out) {
  SHARED(unsigned, tile, 32);
  const auto block = cg::this_thread_block();
  const int lane = int(block.thread_rank());
  tile[lane] = in[blockIdx.x * kWordsIn + lane];
  block.sync();
  out[blockIdx.x * kWordsOut + lane] = tile[(lane + 7) % int(block.size())];
}

}  // namespace lab::tested

// --- the table: X(name, kernel) --------------------------------------------------------------------------------------
#define LAB_ROW_WARP(X, name) X(name, warp_primitive<lab::tested::name, BuildProbe>)
#define LAB_ROW_ATOMIC(X, name) \
  X(shared_atomic_##name, shared_atomic<lab::tested::name, BuildProbe>) X(global_atomic_##name, global_atomic<lab::tested::name, BuildProbe>)
#define LAB_ROWS_SHUFFLE(X, kind)             \
  LAB_ROW_WARP(X, shuffle_##kind##_int)       \
  LAB_ROW_WARP(X, shuffle_##kind##_float)     \
  LAB_ROW_WARP(X, shuffle_##kind##_long_long) \
  LAB_ROW_WARP(X, shuffle_##kind##_double)
#define LAB_ROWS_NARROW(X, of)      \
  LAB_ROW_WARP(X, of##_add)         \
  LAB_ROW_WARP(X, of##_sub)         \
  LAB_ROW_WARP(X, of##_mul)         \
  LAB_ROW_WARP(X, of##_div)         \
  LAB_ROW_WARP(X, of##_max)         \
  LAB_ROW_WARP(X, of##_min)         \
  LAB_ROW_WARP(X, of##_fma)         \
  LAB_ROW_WARP(X, of##_neg_abs)     \
  LAB_ROW_WARP(X, of##_compare)     \
  LAB_ROW_WARP(X, of##_from_float)  \
  LAB_ROW_WARP(X, of##_from_double) \
  LAB_ROW_WARP(X, of##_to_float)    \
  LAB_ROW_WARP(X, of##_two_add)     \
  LAB_ROW_WARP(X, of##_two_mul)     \
  LAB_ROW_WARP(X, of##_two_fma)
#define LAB_ROWS_ATOMIC(X, suffix)          \
  LAB_ROW_ATOMIC(X, add_##suffix)           \
  LAB_ROW_ATOMIC(X, exchange_##suffix)      \
  LAB_ROW_ATOMIC(X, compare_swap_##suffix)  \
  LAB_ROW_ATOMIC(X, min_##suffix)           \
  LAB_ROW_ATOMIC(X, max_##suffix)           \
  LAB_ROW_ATOMIC(X, and_##suffix)           \
  LAB_ROW_ATOMIC(X, or_##suffix)            \
  LAB_ROW_ATOMIC(X, xor_##suffix)
#define LAB_PRIMITIVES(X)                                                                                            \
  LAB_ROWS_SHUFFLE(X, index) LAB_ROWS_SHUFFLE(X, up) LAB_ROWS_SHUFFLE(X, down) LAB_ROWS_SHUFFLE(X, xor)              \
  LAB_ROW_WARP(X, vote_any) LAB_ROW_WARP(X, vote_all) LAB_ROW_WARP(X, ballot) LAB_ROW_WARP(X, match_any_32)          \
  LAB_ROW_WARP(X, match_any_64) LAB_ROW_WARP(X, match_all_32) LAB_ROW_WARP(X, match_all_64)                          \
  LAB_ROW_WARP(X, reduce_add_unsigned) LAB_ROW_WARP(X, reduce_min_unsigned) LAB_ROW_WARP(X, reduce_max_unsigned)     \
  LAB_ROW_WARP(X, reduce_add_signed) LAB_ROW_WARP(X, reduce_min_signed) LAB_ROW_WARP(X, reduce_max_signed)           \
  LAB_ROW_WARP(X, reduce_and) LAB_ROW_WARP(X, reduce_or) LAB_ROW_WARP(X, reduce_xor) LAB_ROW_WARP(X, popc)           \
  LAB_ROW_WARP(X, clz) LAB_ROW_WARP(X, ffs) LAB_ROW_WARP(X, brev) LAB_ROW_WARP(X, byte_perm)                         \
  LAB_ROW_WARP(X, funnelshift) LAB_ROW_WARP(X, mulhi) LAB_ROW_WARP(X, float_bits) LAB_ROW_WARP(X, float_fma)         \
  LAB_ROW_WARP(X, float_sqrt) LAB_ROW_WARP(X, float_divide) LAB_ROWS_NARROW(X, fp16) LAB_ROWS_NARROW(X, bf16)        \
  LAB_ROWS_ATOMIC(X, int) LAB_ROWS_ATOMIC(X, unsigned) LAB_ROWS_ATOMIC(X, wide) LAB_ROW_ATOMIC(X, min_signed_wide)   \
  LAB_ROW_ATOMIC(X, max_signed_wide) LAB_ROW_ATOMIC(X, sub_int) LAB_ROW_ATOMIC(X, sub_unsigned)                      \
  LAB_ROW_ATOMIC(X, inc_unsigned) LAB_ROW_ATOMIC(X, dec_unsigned) LAB_ROW_ATOMIC(X, add_float)                       \
  LAB_ROW_ATOMIC(X, add_double) X(syncwarp, syncwarp<BuildProbe>) X(ldg, ldg<BuildProbe>)                            \
  X(vector_loads, vector_loads<BuildProbe>) X(cp_async_groups, cp_async_groups<BuildProbe>)                          \
  X(pipeline_stages, pipeline_stages<BuildProbe>) X(tile_shuffles, tile_shuffles<BuildProbe>)                        \
  X(tile_votes, tile_votes<BuildProbe>) X(tile_reduce, tile_reduce<BuildProbe>) X(block_group, block_group<BuildProbe>)
