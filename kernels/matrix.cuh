// Warp matrix operations for kernels: mma.sync and ldmatrix (PTX ISA, "Warp Level Matrix Multiply-Accumulate
// Instructions"), the same in all three builds. All 32 lanes take part.
//
//   mma_m16n8k16(c, a, b)          c[4] += A 16 x 16 (4 registers of two bf16) times B 16 x 8 (2 registers), in fp32
//   mma_m16n8k16<half>(c, a, b)    the same with fp16
//   pack<half>(x, y)               a register of two fp16, x the lower one, each rounded to nearest even; else two bf16
//   pack_e4m3(x, y, z, w)          a register of four e4m3, x the lowest one, each rounded to nearest even; beyond 448: 448
//   load_matrix_x4(r, tile[row][unit])   ldmatrix.x4: lane i names row i % 8 of matrix i / 8, a row is 16 bytes; register
//                                  r[q] of lane i gets elements 2 (i % 4) and the next one of row i / 4 of matrix q
//   load_matrix_x4_trans           the same with every matrix turned over
#pragma once
#include <type_traits>

#include "kernels/half.cuh"
#include "kernels/lab.cuh"

#ifdef __CUDACC__
namespace lab {

// T is half, or bf16 under either of its names.
template <class T = bf16>
LAB_DEVICE void mma_m16n8k16(float* c, const unsigned* a, const unsigned* b) {
#if __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<T, half>)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  else
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

template <class T = bf16>
LAB_DEVICE unsigned pack(float x, float y) {
  unsigned both = 0;
#if __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<T, half>)
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(y), "f"(x));
  else
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(y), "f"(x));
#endif
  return both;
}

LAB_DEVICE unsigned pack_e4m3(float x, float y, float z, float w) {
  unsigned all = 0;
#if __CUDA_ARCH__ >= 890
  asm("{\n.reg .b16 low, high;\ncvt.rn.satfinite.e4m3x2.f32 low, %2, %1;\n"
      "cvt.rn.satfinite.e4m3x2.f32 high, %4, %3;\nmov.b32 %0, {low, high};\n}"
      : "=r"(all)
      : "f"(x), "f"(y), "f"(z), "f"(w));
#endif
  return all;
}

template <class Unit>
LAB_DEVICE void load_matrix_x4(unsigned* r, const Unit& row) {
#if __CUDA_ARCH__ >= 750
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
#endif
}
template <class Unit>
LAB_DEVICE void load_matrix_x4_trans(unsigned* r, const Unit& row) {
#if __CUDA_ARCH__ >= 750
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
#endif
}

}  // namespace lab
#else
#include "kernels/simt/matrix.hpp"
#endif
