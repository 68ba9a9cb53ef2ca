// Asynchronous copies and warp matrix operations of PTX, given to the emulator.
#pragma once
#pragma clang system_header

extern "C" {
void lockstep_copy_async(unsigned long to, const void* from, int bytes, int source_bytes);
void lockstep_copy_commit();
void lockstep_copy_wait(int pending);
void lockstep_ldmatrix_x4(unsigned* r, unsigned long row, int transposed);
unsigned lockstep_packed(float low, float high, int is_bfloat);
void lockstep_mma_m16n8k16(float* c, const unsigned* a, const unsigned* b, int is_bfloat);
}

template <class From>
LOCKSTEP_INLINE void lockstep_asm_cp_async_cg_shared_global(unsigned long to, From from, int bytes) {
  lockstep_copy_async(to, (const void*)from, bytes, bytes);
}
template <class From>
LOCKSTEP_INLINE void lockstep_asm_cp_async_cg_shared_global(unsigned long to, From from, int bytes, int source_bytes) {
  lockstep_copy_async(to, (const void*)from, bytes, source_bytes);
}
template <class From>
LOCKSTEP_INLINE void lockstep_asm_cp_async_ca_shared_global(unsigned long to, From from, int bytes) {
  lockstep_copy_async(to, (const void*)from, bytes, bytes);
}
template <class From>
LOCKSTEP_INLINE void lockstep_asm_cp_async_ca_shared_global(unsigned long to, From from, int bytes, int source_bytes) {
  lockstep_copy_async(to, (const void*)from, bytes, source_bytes);
}
LOCKSTEP_INLINE void lockstep_asm_cp_async_commit_group() { lockstep_copy_commit(); }
LOCKSTEP_INLINE void lockstep_asm_cp_async_wait_group(int pending) { lockstep_copy_wait(pending); }
LOCKSTEP_INLINE void lockstep_asm_cp_async_wait_all() { lockstep_copy_commit(), lockstep_copy_wait(0); }

#define LOCKSTEP_LDMATRIX(name, transposed)                                                        \
  template <class R>                                                                               \
  LOCKSTEP_INLINE void name(R& r0, R& r1, R& r2, R& r3, unsigned long row) {                       \
    unsigned r[4];                                                                                 \
    lockstep_ldmatrix_x4(r, row, transposed);                                                      \
    r0 = R(r[0]), r1 = R(r[1]), r2 = R(r[2]), r3 = R(r[3]);                                        \
  }
LOCKSTEP_LDMATRIX(lockstep_asm_ldmatrix_sync_aligned_m8n8_x4_shared_b16, 0)
LOCKSTEP_LDMATRIX(lockstep_asm_ldmatrix_sync_aligned_m8n8_x4_trans_shared_b16, 1)

#define LOCKSTEP_MMA(name, is_bfloat)                                                                         \
  LOCKSTEP_INLINE void name(float& d0, float& d1, float& d2, float& d3, unsigned a0, unsigned a1, unsigned a2, \
                            unsigned a3, unsigned b0, unsigned b1, float c0, float c1, float c2, float c3) {   \
    float c[4] = {c0, c1, c2, c3};                                                                            \
    const unsigned a[4] = {a0, a1, a2, a3}, b[2] = {b0, b1};                                                  \
    lockstep_mma_m16n8k16(c, a, b, is_bfloat);                                                                \
    d0 = c[0], d1 = c[1], d2 = c[2], d3 = c[3];                                                               \
  }
LOCKSTEP_MMA(lockstep_asm_mma_sync_aligned_m16n8k16_row_col_f32_f16_f16_f32, 0)
LOCKSTEP_MMA(lockstep_asm_mma_sync_aligned_m16n8k16_row_col_f32_bf16_bf16_f32, 1)

// The first operand is the upper half.
template <class R>
LOCKSTEP_INLINE void lockstep_asm_cvt_rn_f16x2_f32(R& both, float high, float low) {
  both = R(lockstep_packed(low, high, 0));
}
template <class R>
LOCKSTEP_INLINE void lockstep_asm_cvt_rn_bf16x2_f32(R& both, float high, float low) {
  both = R(lockstep_packed(low, high, 1));
}
