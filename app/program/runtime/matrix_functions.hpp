// What app/program/headers/lockstep_asm_matrix.h calls.
#pragma once

extern "C" {
unsigned long lockstep_shared_address(const void* at);
void lockstep_copy_async(unsigned long to, const void* from, int bytes, int source_bytes);
void lockstep_copy_commit();
void lockstep_copy_wait(int pending);
void lockstep_ldmatrix_x4(unsigned* r, unsigned long row, int transposed);
unsigned lockstep_packed(float low, float high, int is_bfloat);
void lockstep_mma_m16n8k16(float* c, const unsigned* a, const unsigned* b, int is_bfloat);
}
