// Mathematical functions and intrinsics that C's library has not (CUDA Math API). The fast ones (__expf) are as exact
// here as the slow ones: a GPU's differ in the last bits.
#pragma once
#pragma clang system_header

#define LOCKSTEP_BOTH(result, name, parameters, expression) \
  LOCKSTEP_INLINE result name parameters { return expression; }

// Of every pair of arithmetic types, beside std::min where a program uses that.
template <class A, class B, class = typename std::enable_if<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value>::type>
LOCKSTEP_INLINE constexpr typename std::common_type<A, B>::type min(A a, B b) {
  using C = typename std::common_type<A, B>::type;
  return C(b) < C(a) ? C(b) : C(a);
}
template <class A, class B, class = typename std::enable_if<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value>::type>
LOCKSTEP_INLINE constexpr typename std::common_type<A, B>::type max(A a, B b) {
  using C = typename std::common_type<A, B>::type;
  return C(a) < C(b) ? C(b) : C(a);
}

LOCKSTEP_BOTH(int, umin, (unsigned a, unsigned b), int(a < b ? a : b))
LOCKSTEP_BOTH(float, rsqrtf, (float x), 1.0f / sqrtf(x))
LOCKSTEP_BOTH(double, rsqrt, (double x), 1.0 / sqrt(x))
LOCKSTEP_BOTH(float, rsqrt, (float x), 1.0f / sqrtf(x))
LOCKSTEP_BOTH(float, rcbrtf, (float x), 1.0f / cbrtf(x))
LOCKSTEP_BOTH(double, rcbrt, (double x), 1.0 / cbrt(x))
LOCKSTEP_BOTH(float, fdividef, (float x, float y), x / y)
LOCKSTEP_BOTH(float, __fdividef, (float x, float y), x / y)
LOCKSTEP_BOTH(float, __expf, (float x), expf(x))
LOCKSTEP_BOTH(float, __exp10f, (float x), powf(10.0f, x))
LOCKSTEP_BOTH(float, __logf, (float x), logf(x))
LOCKSTEP_BOTH(float, __log2f, (float x), log2f(x))
LOCKSTEP_BOTH(float, __log10f, (float x), log10f(x))
LOCKSTEP_BOTH(float, __powf, (float x, float y), powf(x, y))
LOCKSTEP_BOTH(float, __sinf, (float x), sinf(x))
LOCKSTEP_BOTH(float, __cosf, (float x), cosf(x))
LOCKSTEP_BOTH(float, __tanf, (float x), tanf(x))
LOCKSTEP_BOTH(float, __tanhf, (float x), tanhf(x))
LOCKSTEP_BOTH(float, __saturatef, (float x), x > 0 ? (x < 1 ? x : 1.0f) : 0.0f)
LOCKSTEP_BOTH(float, sinpif, (float x), float(sin(M_PI * double(x))))
LOCKSTEP_BOTH(float, cospif, (float x), float(cos(M_PI * double(x))))
LOCKSTEP_BOTH(double, sinpi, (double x), sin(M_PI * x))
LOCKSTEP_BOTH(double, cospi, (double x), cos(M_PI * x))
LOCKSTEP_BOTH(float, normcdff, (float x), 0.5f * erfcf(-x * 0.70710678f))
LOCKSTEP_BOTH(double, normcdf, (double x), 0.5 * erfc(-x * M_SQRT1_2))
LOCKSTEP_BOTH(float, norm3df, (float x, float y, float z), sqrtf(x * x + y * y + z * z))
LOCKSTEP_BOTH(float, rnorm3df, (float x, float y, float z), 1.0f / sqrtf(x * x + y * y + z * z))
LOCKSTEP_BOTH(double, norm3d, (double x, double y, double z), sqrt(x * x + y * y + z * z))
LOCKSTEP_BOTH(float, rhypotf, (float x, float y), 1.0f / hypotf(x, y))
LOCKSTEP_BOTH(double, rhypot, (double x, double y), 1.0 / hypot(x, y))
LOCKSTEP_INLINE void __sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
LOCKSTEP_INLINE void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }

// Arithmetic with a rounding: nearest is what the host does; the other three are not there.
#define LOCKSTEP_ROUNDED(T, prefix)                                            \
  LOCKSTEP_BOTH(T, prefix##add_rn, (T x, T y), x + y)                          \
  LOCKSTEP_BOTH(T, prefix##sub_rn, (T x, T y), x - y)                          \
  LOCKSTEP_BOTH(T, prefix##mul_rn, (T x, T y), x * y)                          \
  LOCKSTEP_BOTH(T, prefix##div_rn, (T x, T y), x / y)                          \
  LOCKSTEP_BOTH(T, prefix##rcp_rn, (T x), T(1) / x)                            \
  LOCKSTEP_BOTH(T, prefix##sqrt_rn, (T x), T(sqrt(x)))
LOCKSTEP_ROUNDED(float, __f)
LOCKSTEP_ROUNDED(double, __d)
LOCKSTEP_BOTH(float, __fmaf_rn, (float x, float y, float z), fmaf(x, y, z))
LOCKSTEP_BOTH(float, __fmaf_rz, (float x, float y, float z), fmaf(x, y, z))
LOCKSTEP_BOTH(double, __fma_rn, (double x, double y, double z), fma(x, y, z))
LOCKSTEP_BOTH(float, __frsqrt_rn, (float x), 1.0f / sqrtf(x))

// Conversions.
#define LOCKSTEP_TO_WHOLE(R, name, T, nearest, floor_, ceil_, trunc_) \
  LOCKSTEP_BOTH(R, name##_rn, (T x), (R)nearest(x))                   \
  LOCKSTEP_BOTH(R, name##_rd, (T x), (R)floor_(x))                    \
  LOCKSTEP_BOTH(R, name##_ru, (T x), (R)ceil_(x))                     \
  LOCKSTEP_BOTH(R, name##_rz, (T x), (R)trunc_(x))
LOCKSTEP_TO_WHOLE(int, __float2int, float, nearbyintf, floorf, ceilf, truncf)
LOCKSTEP_TO_WHOLE(unsigned, __float2uint, float, nearbyintf, floorf, ceilf, truncf)
LOCKSTEP_TO_WHOLE(long long, __float2ll, float, nearbyintf, floorf, ceilf, truncf)
LOCKSTEP_TO_WHOLE(unsigned long long, __float2ull, float, nearbyintf, floorf, ceilf, truncf)
LOCKSTEP_TO_WHOLE(int, __double2int, double, nearbyint, floor, ceil, trunc)
LOCKSTEP_TO_WHOLE(unsigned, __double2uint, double, nearbyint, floor, ceil, trunc)
LOCKSTEP_TO_WHOLE(long long, __double2ll, double, nearbyint, floor, ceil, trunc)
LOCKSTEP_TO_WHOLE(unsigned long long, __double2ull, double, nearbyint, floor, ceil, trunc)
LOCKSTEP_BOTH(float, __int2float_rn, (int x), float(x))
LOCKSTEP_BOTH(float, __int2float_rz, (int x), float(x))
LOCKSTEP_BOTH(float, __uint2float_rn, (unsigned x), float(x))
LOCKSTEP_BOTH(float, __ll2float_rn, (long long x), float(x))
LOCKSTEP_BOTH(float, __ull2float_rn, (unsigned long long x), float(x))
LOCKSTEP_BOTH(double, __int2double_rn, (int x), double(x))
LOCKSTEP_BOTH(double, __uint2double_rn, (unsigned x), double(x))
LOCKSTEP_BOTH(double, __ll2double_rn, (long long x), double(x))
LOCKSTEP_BOTH(double, __ull2double_rn, (unsigned long long x), double(x))
LOCKSTEP_BOTH(float, __double2float_rn, (double x), float(x))
LOCKSTEP_BOTH(float, __double2float_rz, (double x), float(x))

template <class To, class From>
LOCKSTEP_INLINE To lockstep_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "bits of another size");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}
LOCKSTEP_BOTH(int, __float_as_int, (float x), lockstep_bits<int>(x))
LOCKSTEP_BOTH(unsigned, __float_as_uint, (float x), lockstep_bits<unsigned>(x))
LOCKSTEP_BOTH(float, __int_as_float, (int x), lockstep_bits<float>(x))
LOCKSTEP_BOTH(float, __uint_as_float, (unsigned x), lockstep_bits<float>(x))
LOCKSTEP_BOTH(long long, __double_as_longlong, (double x), lockstep_bits<long long>(x))
LOCKSTEP_BOTH(double, __longlong_as_double, (long long x), lockstep_bits<double>(x))
LOCKSTEP_BOTH(int, __double2hiint, (double x), int(lockstep_bits<unsigned long long>(x) >> 32))
LOCKSTEP_BOTH(int, __double2loint, (double x), int(lockstep_bits<unsigned long long>(x)))
LOCKSTEP_BOTH(double, __hiloint2double, (int high, int low),
              lockstep_bits<double>((unsigned long long)(unsigned)high << 32 | (unsigned)low))

// Whole numbers.
LOCKSTEP_BOTH(int, __popc, (unsigned x), __builtin_popcount(x))
LOCKSTEP_BOTH(int, __popcll, (unsigned long long x), __builtin_popcountll(x))
LOCKSTEP_BOTH(int, __clz, (int x), x ? __builtin_clz((unsigned)x) : 32)
LOCKSTEP_BOTH(int, __clzll, (long long x), x ? __builtin_clzll((unsigned long long)x) : 64)
LOCKSTEP_BOTH(int, __ffs, (int x), __builtin_ffs(x))
LOCKSTEP_BOTH(int, __ffsll, (long long x), __builtin_ffsll(x))
LOCKSTEP_BOTH(unsigned, __brev, (unsigned x), __builtin_bitreverse32(x))
LOCKSTEP_BOTH(unsigned long long, __brevll, (unsigned long long x), __builtin_bitreverse64(x))
LOCKSTEP_BOTH(int, __mul24, (int x, int y), (x << 8 >> 8) * (y << 8 >> 8))
LOCKSTEP_BOTH(unsigned, __umul24, (unsigned x, unsigned y), (x & 0xffffff) * (y & 0xffffff))
LOCKSTEP_BOTH(int, mul24, (int x, int y), (x << 8 >> 8) * (y << 8 >> 8))
LOCKSTEP_BOTH(int, __mulhi, (int x, int y), int((long long)x * y >> 32))
LOCKSTEP_BOTH(unsigned, __umulhi, (unsigned x, unsigned y), unsigned((unsigned long long)x * y >> 32))
LOCKSTEP_BOTH(long long, __mul64hi, (long long x, long long y), (long long)((__int128)x * y >> 64))
LOCKSTEP_BOTH(unsigned long long, __umul64hi, (unsigned long long x, unsigned long long y),
              (unsigned long long)((unsigned __int128)x * y >> 64))
LOCKSTEP_BOTH(unsigned, __sad, (int x, int y, unsigned z), z + (unsigned)(x < y ? y - x : x - y))
LOCKSTEP_BOTH(unsigned, __usad, (unsigned x, unsigned y, unsigned z), z + (x < y ? y - x : x - y))
LOCKSTEP_BOTH(int, __hadd, (int x, int y), int(((long long)x + y) >> 1))
LOCKSTEP_BOTH(int, __rhadd, (int x, int y), int(((long long)x + y + 1) >> 1))
LOCKSTEP_BOTH(unsigned, __funnelshift_l, (unsigned low, unsigned high, unsigned shift),
              unsigned(((unsigned long long)high << 32 | low) << (shift & 31) >> 32))
LOCKSTEP_BOTH(unsigned, __funnelshift_r, (unsigned low, unsigned high, unsigned shift),
              unsigned(((unsigned long long)high << 32 | low) >> (shift & 31)))
LOCKSTEP_INLINE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = (unsigned long long)y << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i)
    result |= unsigned(bytes >> (8 * (selector >> (4 * i) & 7)) & 0xff) << (8 * i);
  return result;
}
LOCKSTEP_INLINE int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i) c += int((signed char)(a >> (8 * i))) * int((signed char)(b >> (8 * i)));
  return c;
}
LOCKSTEP_INLINE unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += (a >> (8 * i) & 255) * (b >> (8 * i) & 255);
  return c;
}

// Loads and stores with a hint to the caches.
#define LOCKSTEP_HINTED_LOAD(name)          \
  template <class T>                        \
  LOCKSTEP_INLINE T name(const T* at) {     \
    return *at;                             \
  }
LOCKSTEP_HINTED_LOAD(__ldg)
LOCKSTEP_HINTED_LOAD(__ldca)
LOCKSTEP_HINTED_LOAD(__ldcg)
LOCKSTEP_HINTED_LOAD(__ldcs)
LOCKSTEP_HINTED_LOAD(__ldlu)
LOCKSTEP_HINTED_LOAD(__ldcv)
#define LOCKSTEP_HINTED_STORE(name)         \
  template <class T>                        \
  LOCKSTEP_INLINE void name(T* at, T x) {   \
    *at = x;                                \
  }
LOCKSTEP_HINTED_STORE(__stwb)
LOCKSTEP_HINTED_STORE(__stcg)
LOCKSTEP_HINTED_STORE(__stcs)
LOCKSTEP_HINTED_STORE(__stwt)
