// PTX instructions of asm statements as functions: add.u32 is lockstep_asm_add_u32(). By the PTX ISA reference. Those
// that move data between memories or concern a whole warp stand in the headers beside this one.
#pragma once
#pragma clang system_header


inline float lockstep_asm_float(unsigned bits) {
  float value;
  __builtin_memcpy(&value, &bits, 4);
  return value;
}

// name(d, a, b): expression of a and b, both of type T.
#define LOCKSTEP_ASM_1(name, T, expression) \
  template <class D, class A>               \
  LOCKSTEP_INLINE void lockstep_asm_##name(D& d, A a_) { T a = (T)(a_); d = D(expression); }
#define LOCKSTEP_ASM_2(name, T, expression) \
  template <class D, class A, class B>      \
  LOCKSTEP_INLINE void lockstep_asm_##name(D& d, A a_, B b_) { T a = (T)(a_), b = (T)(b_); d = D(expression); }
#define LOCKSTEP_ASM_3(name, T, expression)     \
  template <class D, class A, class B, class C> \
  LOCKSTEP_INLINE void lockstep_asm_##name(D& d, A a_, B b_, C c_) { T a = (T)(a_), b = (T)(b_), c = (T)(c_); d = D(expression); }

#define LOCKSTEP_ASM_WHOLE(suffix, T)           \
  LOCKSTEP_ASM_1(mov_##suffix, T, a)            \
  LOCKSTEP_ASM_2(add_##suffix, T, a + b)        \
  LOCKSTEP_ASM_2(sub_##suffix, T, a - b)        \
  LOCKSTEP_ASM_2(min_##suffix, T, a < b ? a : b) \
  LOCKSTEP_ASM_2(max_##suffix, T, a > b ? a : b) \
  LOCKSTEP_ASM_2(mul_lo_##suffix, T, a * b)     \
  LOCKSTEP_ASM_2(div_##suffix, T, a / b)        \
  LOCKSTEP_ASM_2(rem_##suffix, T, a % b)        \
  LOCKSTEP_ASM_3(mad_lo_##suffix, T, a * b + c)
LOCKSTEP_ASM_WHOLE(u32, unsigned)
LOCKSTEP_ASM_WHOLE(s32, int)
LOCKSTEP_ASM_WHOLE(u64, unsigned long long)
LOCKSTEP_ASM_WHOLE(s64, long long)
LOCKSTEP_ASM_WHOLE(u16, unsigned short)
LOCKSTEP_ASM_WHOLE(s16, short)

#define LOCKSTEP_ASM_BITS(suffix, T)        \
  LOCKSTEP_ASM_1(mov_##suffix, T, a)        \
  LOCKSTEP_ASM_1(not_##suffix, T, ~a)       \
  LOCKSTEP_ASM_2(and_##suffix, T, a & b)    \
  LOCKSTEP_ASM_2(or_##suffix, T, a | b)     \
  LOCKSTEP_ASM_2(xor_##suffix, T, a ^ b)    \
  LOCKSTEP_ASM_2(shl_##suffix, T, b >= (T)(8 * sizeof(T)) ? (T)0 : (T)(a << b))
LOCKSTEP_ASM_BITS(b32, unsigned)
LOCKSTEP_ASM_BITS(b64, unsigned long long)
LOCKSTEP_ASM_2(shr_u32, unsigned, b >= 32 ? 0u : a >> b)
LOCKSTEP_ASM_2(shr_b32, unsigned, b >= 32 ? 0u : a >> b)
LOCKSTEP_ASM_2(shr_s32, int, a >> (unsigned(b) >= 32 ? 31 : b))
LOCKSTEP_ASM_2(shr_u64, unsigned long long, b >= 64 ? 0ull : a >> b)
LOCKSTEP_ASM_2(mul_hi_u32, unsigned long long, (unsigned(a) * 1ull * unsigned(b)) >> 32)
LOCKSTEP_ASM_2(mul_hi_s32, long long, (a * b) >> 32)
LOCKSTEP_ASM_2(mul_wide_u32, unsigned long long, unsigned(a) * 1ull * unsigned(b))
LOCKSTEP_ASM_2(mul_wide_s32, long long, a * b)
LOCKSTEP_ASM_3(bfe_u32, unsigned, c == 0 || b >= 32 ? 0u : (a >> b) & (c >= 32 ? ~0u : (1u << c) - 1))
LOCKSTEP_ASM_1(popc_b32, unsigned, __builtin_popcount(a))
LOCKSTEP_ASM_1(popc_b64, unsigned long long, __builtin_popcountll(a))
LOCKSTEP_ASM_1(clz_b32, unsigned, a ? __builtin_clz(a) : 32)
LOCKSTEP_ASM_1(brev_b32, unsigned, __builtin_bitreverse32(a))
LOCKSTEP_ASM_1(bfind_u32, unsigned, a ? 31 - __builtin_clz(a) : ~0u)
template <class D, class A, class B, class P, class L>
LOCKSTEP_INLINE void lockstep_asm_bfi_b32(D& d, A a, B b, P position, L length) {
  const unsigned mask = (unsigned(length) >= 32 ? ~0u : (1u << unsigned(length)) - 1) << unsigned(position);
  d = D((unsigned(b) & ~mask) | (unsigned(a) << unsigned(position) & mask));
}
template <class D, class A, class B, class C, class L>
LOCKSTEP_INLINE void lockstep_asm_lop3_b32(D& d, A a, B b, C c, L table) {
  unsigned result = 0;
  for (unsigned bits = 0; bits < 8; ++bits)
    if (unsigned(table) >> bits & 1)
      result |= (bits & 4 ? unsigned(a) : ~unsigned(a)) & (bits & 2 ? unsigned(b) : ~unsigned(b)) &
                (bits & 1 ? unsigned(c) : ~unsigned(c));
  d = D(result);
}
template <class D, class A, class B, class C>
LOCKSTEP_INLINE void lockstep_asm_prmt_b32(D& d, A a, B b, C selector) {
  const unsigned long long both = (unsigned long long)(unsigned(b)) << 32 | unsigned(a);
  unsigned result = 0;
  for (int byte = 0; byte < 4; ++byte) {
    const unsigned pick = unsigned(selector) >> 4 * byte & 15;
    unsigned value = unsigned(both >> 8 * (pick & 7)) & 255;
    if (pick & 8) value = value & 128 ? 255 : 0;
    result |= value << 8 * byte;
  }
  d = D(result);
}

#define LOCKSTEP_ASM_REAL(suffix, T, fused)       \
  LOCKSTEP_ASM_1(mov_##suffix, T, a)              \
  LOCKSTEP_ASM_1(neg_##suffix, T, -a)             \
  LOCKSTEP_ASM_1(abs_##suffix, T, a < 0 ? -a : a) \
  LOCKSTEP_ASM_2(add_##suffix, T, a + b)          \
  LOCKSTEP_ASM_2(sub_##suffix, T, a - b)          \
  LOCKSTEP_ASM_2(mul_##suffix, T, a * b)          \
  LOCKSTEP_ASM_2(add_rn_##suffix, T, a + b)       \
  LOCKSTEP_ASM_2(mul_rn_##suffix, T, a * b)       \
  LOCKSTEP_ASM_2(div_rn_##suffix, T, a / b)       \
  LOCKSTEP_ASM_2(min_##suffix, T, a < b ? a : b)  \
  LOCKSTEP_ASM_2(max_##suffix, T, a > b ? a : b)  \
  LOCKSTEP_ASM_3(fma_rn_##suffix, T, fused(a, b, c))
LOCKSTEP_ASM_REAL(f32, float, __builtin_fmaf)
LOCKSTEP_ASM_REAL(f64, double, __builtin_fma)
LOCKSTEP_ASM_1(ex2_approx_ftz_f32, float, ::exp2f(a))
LOCKSTEP_ASM_1(ex2_approx_f32, float, ::exp2f(a))
LOCKSTEP_ASM_1(lg2_approx_f32, float, ::log2f(a))
LOCKSTEP_ASM_1(lg2_approx_ftz_f32, float, ::log2f(a))
LOCKSTEP_ASM_1(rcp_approx_f32, float, 1.0f / a)
LOCKSTEP_ASM_1(rcp_approx_ftz_f32, float, 1.0f / a)
LOCKSTEP_ASM_1(rcp_rn_f32, float, 1.0f / a)
LOCKSTEP_ASM_1(sqrt_approx_f32, float, ::sqrtf(a))
LOCKSTEP_ASM_1(sqrt_rn_f32, float, ::sqrtf(a))
LOCKSTEP_ASM_1(rsqrt_approx_f32, float, 1.0f / ::sqrtf(a))
LOCKSTEP_ASM_1(sin_approx_f32, float, ::sinf(a))
LOCKSTEP_ASM_1(cos_approx_f32, float, ::cosf(a))
LOCKSTEP_ASM_1(tanh_approx_f32, float, ::tanhf(a))

#define LOCKSTEP_ASM_COMPARE(suffix, T)        \
  LOCKSTEP_ASM_2(setp_eq_##suffix, T, a == b)  \
  LOCKSTEP_ASM_2(setp_ne_##suffix, T, a != b)  \
  LOCKSTEP_ASM_2(setp_lt_##suffix, T, a < b)   \
  LOCKSTEP_ASM_2(setp_le_##suffix, T, a <= b)  \
  LOCKSTEP_ASM_2(setp_gt_##suffix, T, a > b)   \
  LOCKSTEP_ASM_2(setp_ge_##suffix, T, a >= b)
LOCKSTEP_ASM_COMPARE(u32, unsigned)
LOCKSTEP_ASM_COMPARE(b32, unsigned)
LOCKSTEP_ASM_COMPARE(s32, int)
LOCKSTEP_ASM_COMPARE(u64, unsigned long long)
LOCKSTEP_ASM_COMPARE(f32, float)
#define LOCKSTEP_ASM_SELECT(suffix, T)                                         \
  template <class D, class A, class B, class P>                                \
  LOCKSTEP_INLINE void lockstep_asm_selp_##suffix(D& d, A a, B b, P p) { d = D(p ? (T)(a) : (T)(b)); }
LOCKSTEP_ASM_SELECT(u32, unsigned)
LOCKSTEP_ASM_SELECT(b32, unsigned)
LOCKSTEP_ASM_SELECT(s32, int)
LOCKSTEP_ASM_SELECT(f32, float)

// Plain loads and stores, with any hint to the caches. The address is a pointer or the number of one.
template <class T, class A>
LOCKSTEP_INLINE T* lockstep_asm_pointer(A address) {
  return reinterpret_cast<T*>((unsigned long)(address));
}
#define LOCKSTEP_ASM_MEMORY(space, suffix, T)                                                              \
  template <class D, class A>                                                                              \
  LOCKSTEP_INLINE void lockstep_asm_ld_##space##_##suffix(D& d, A at) { d = D(*lockstep_asm_pointer<T>(at)); } \
  template <class A, class S>                                                                              \
  LOCKSTEP_INLINE void lockstep_asm_st_##space##_##suffix(A at, S value) { *lockstep_asm_pointer<T>(at) = (T)(value); }
#define LOCKSTEP_ASM_MEMORIES(space)                    \
  LOCKSTEP_ASM_MEMORY(space, u32, unsigned)             \
  LOCKSTEP_ASM_MEMORY(space, b32, unsigned)             \
  LOCKSTEP_ASM_MEMORY(space, s32, int)                  \
  LOCKSTEP_ASM_MEMORY(space, f32, float)                \
  LOCKSTEP_ASM_MEMORY(space, f64, double)               \
  LOCKSTEP_ASM_MEMORY(space, u64, unsigned long long)   \
  LOCKSTEP_ASM_MEMORY(space, b64, unsigned long long)   \
  LOCKSTEP_ASM_MEMORY(space, u8, unsigned char)         \
  LOCKSTEP_ASM_MEMORY(space, u16, unsigned short)
LOCKSTEP_ASM_MEMORIES(global)
LOCKSTEP_ASM_MEMORIES(global_cg)
LOCKSTEP_ASM_MEMORIES(global_ca)
LOCKSTEP_ASM_MEMORIES(global_cs)
LOCKSTEP_ASM_MEMORIES(global_cv)
LOCKSTEP_ASM_MEMORIES(global_wt)
LOCKSTEP_ASM_MEMORIES(global_nc)
LOCKSTEP_ASM_MEMORIES(volatile_global)
LOCKSTEP_ASM_MEMORIES(relaxed_gpu_global)
LOCKSTEP_ASM_MEMORIES(acquire_gpu_global)
LOCKSTEP_ASM_MEMORIES(release_gpu_global)
#define LOCKSTEP_ASM_VECTOR(space, suffix, T, V)                                                                    \
  template <class D, class A>                                                                                       \
  LOCKSTEP_INLINE void lockstep_asm_ld_##space##_v4_##suffix(D& x, D& y, D& z, D& w, A at) {                        \
    const V##4 v = *lockstep_asm_pointer<V##4>(at);                                                                 \
    x = D(v.x), y = D(v.y), z = D(v.z), w = D(v.w);                                                                 \
  }                                                                                                                 \
  template <class A, class S>                                                                                       \
  LOCKSTEP_INLINE void lockstep_asm_st_##space##_v4_##suffix(A at, S x, S y, S z, S w) {                            \
    *lockstep_asm_pointer<V##4>(at) = make_##V##4((T)(x), (T)(y), (T)(z), (T)(w));                                          \
  }
LOCKSTEP_ASM_VECTOR(global, f32, float, float)
LOCKSTEP_ASM_VECTOR(global, u32, unsigned, uint)
LOCKSTEP_ASM_VECTOR(global, b32, unsigned, uint)
LOCKSTEP_ASM_VECTOR(global_nc, f32, float, float)
LOCKSTEP_ASM_VECTOR(global_cs, f32, float, float)
template <class D, class A>
LOCKSTEP_INLINE void lockstep_asm_cvta_to_shared_u64(D& d, A a) { d = D(__cvta_generic_to_shared((const void*)(a))); }
template <class D, class A>
LOCKSTEP_INLINE void lockstep_asm_cvta_to_global_u64(D& d, A a) { d = D((unsigned long)(a)); }
template <class A>
LOCKSTEP_INLINE void lockstep_asm_prefetch_global_L1(A) {}
template <class A>
LOCKSTEP_INLINE void lockstep_asm_prefetch_global_L2(A) {}
template <class N>
LOCKSTEP_INLINE void lockstep_asm_nanosleep_u32(N) {}
inline void lockstep_asm_membar_gl() { __threadfence(); }
inline void lockstep_asm_membar_sys() { __threadfence(); }
inline void lockstep_asm_membar_cta() { __threadfence_block(); }
inline void lockstep_asm_trap() { __builtin_trap(); }

LOCKSTEP_INLINE unsigned lockstep_asm_special_tid_x() { return threadIdx.x; }
LOCKSTEP_INLINE unsigned lockstep_asm_special_tid_y() { return threadIdx.y; }
LOCKSTEP_INLINE unsigned lockstep_asm_special_tid_z() { return threadIdx.z; }
LOCKSTEP_INLINE unsigned lockstep_asm_special_ntid_x() { return blockDim.x; }
LOCKSTEP_INLINE unsigned lockstep_asm_special_ctaid_x() { return blockIdx.x; }
LOCKSTEP_INLINE unsigned lockstep_asm_special_ctaid_y() { return blockIdx.y; }
LOCKSTEP_INLINE unsigned lockstep_asm_special_nctaid_x() { return gridDim.x; }
LOCKSTEP_INLINE unsigned lockstep_asm_special_linear() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
LOCKSTEP_INLINE unsigned lockstep_asm_special_laneid() { return lockstep_asm_special_linear() % 32; }
LOCKSTEP_INLINE unsigned lockstep_asm_special_warpid() { return lockstep_asm_special_linear() / 32; }
LOCKSTEP_INLINE unsigned lockstep_asm_special_smid() {
  return ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) % 132;
}
LOCKSTEP_INLINE unsigned lockstep_asm_special_nsmid() { return 132; }
LOCKSTEP_INLINE unsigned lockstep_asm_special_lanemask_lt() { return (1u << lockstep_asm_special_laneid()) - 1; }
LOCKSTEP_INLINE unsigned lockstep_asm_special_lanemask_le() { return lockstep_asm_special_lanemask_lt() * 2 + 1; }
LOCKSTEP_INLINE unsigned lockstep_asm_special_lanemask_eq() { return 1u << lockstep_asm_special_laneid(); }
LOCKSTEP_INLINE unsigned lockstep_asm_special_lanemask_gt() { return ~lockstep_asm_special_lanemask_le(); }
LOCKSTEP_INLINE unsigned lockstep_asm_special_lanemask_ge() { return ~lockstep_asm_special_lanemask_lt(); }
LOCKSTEP_INLINE unsigned lockstep_asm_special_clock() { return unsigned(lockstep_clock()); }
LOCKSTEP_INLINE unsigned long long lockstep_asm_special_globaltimer() { return (unsigned long long)(lockstep_clock()); }
LOCKSTEP_INLINE unsigned long long lockstep_asm_special_clock64() { return (unsigned long long)(lockstep_clock()); }
