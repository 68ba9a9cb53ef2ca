// The PTX of the copy engine, the barriers in shared memory and the products of warpgroups (compute
// capability 9.0a), for the clean and the traced dialect. Below it nothing of it exists, and kernels that use
// it are not launched. Addresses are those of shared memory.
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "kernels/cuda/multiply.cuh"
#include "kernels/cuda/multiply_formats.cuh"
#include "kernels/cuda/tensor_units.cuh"

#define LAB_UNIT __device__ __forceinline__

namespace lab::units {

LAB_UNIT unsigned address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

LAB_UNIT void init(unsigned barrier, int arrivals) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
#endif
}
LAB_UNIT void publish() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}
LAB_UNIT void arrive(unsigned barrier) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
#endif
}
LAB_UNIT void arrive_at(unsigned barrier, unsigned rank) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile(
      "{\n.reg .b32 far;\nmapa.shared::cluster.u32 far, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [far];\n}" ::"r"(barrier),
      "r"(rank)
      : "memory");
#endif
}
LAB_UNIT void arrive_expecting(unsigned barrier, int bytes) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
#endif
}
LAB_UNIT void wait(unsigned barrier, unsigned parity) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile(
      "{\n.reg .pred ended;\nAGAIN:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1;\n"
      "@ended bra DONE;\nbra AGAIN;\nDONE:\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
#endif
}
LAB_UNIT void commit_stores() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
}
template <int kPending>
LAB_UNIT void wait_stores_read() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
#endif
}
template <int kPending>
LAB_UNIT void wait_stores_written() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(kPending) : "memory");
#endif
}
LAB_UNIT void fence() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

// A matrix descriptor (PTX ISA, "Matrix Descriptor Format"), 128-byte swizzle.
// By its bytes an element is bf16 or
// e4m3; `Format` is half or e5m2 in their place.
template <bool kByColumns, int kElementBytes, class Format = void>
struct Operand {
  std::uint64_t bits;
};
template <class T>
using FormatOf = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, e5m2>, T, void>;
template <bool kByColumns, class T>
using OperandOf = Operand<kByColumns, sizeof(T), FormatOf<T>>;
template <bool kByColumns, class T>
LAB_UNIT OperandOf<kByColumns, T> operand(unsigned first, int leading) {
  constexpr std::uint64_t kStride = 1024;
  return {static_cast<std::uint64_t>((first & 0x3ffff) >> 4) |
          static_cast<std::uint64_t>(leading >> 4) << 16 | kStride >> 4 << 32 | std::uint64_t{1} << 62};
}

LAB_UNIT void sums_fence() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}
template <int kN, bool kByColumns, int kElementBytes, class Format>
LAB_UNIT void multiply_operands(float* sum, Operand<false, kElementBytes, Format> a,
                                Operand<kByColumns, kElementBytes, Format> b, bool keep) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  static_assert(kElementBytes == 2 || !kByColumns);
  if constexpr (std::is_void_v<Format>)
    Multiply<kN, kElementBytes>::template run<kByColumns>(sum, a.bits, b.bits, keep);
  else
    MultiplyFormat<kN, Format>::template run<kByColumns>(sum, a.bits, b.bits, keep);
#endif
}
template <int kN, bool kByColumns, int kElementBytes>
LAB_UNIT void multiply_registers(float* sum, const unsigned* a, Operand<kByColumns, kElementBytes> b,
                                 bool keep) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  static_assert(kElementBytes == 2 || !kByColumns);
  Multiply<kN, kElementBytes>::template run<kByColumns>(sum, a, b.bits, keep);
#endif
}
template <int kN, bool kByColumns, int kElementBytes, class Format>
LAB_UNIT void multiply_registers(float* sum, const unsigned* a, Operand<kByColumns, kElementBytes, Format> b,
                                 bool keep) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  static_assert(kElementBytes == 2 || !kByColumns);
  MultiplyFormat<kN, Format>::template run<kByColumns>(sum, a, b.bits, keep);
#endif
}
LAB_UNIT void commit() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}
template <int kPending>
LAB_UNIT void wait_products() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
#endif
}
template <int kRegisters>
LAB_UNIT void give_registers() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
#endif
}
template <int kRegisters>
LAB_UNIT void take_registers() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
#endif
}

}  // namespace lab::units

namespace lab {

// Words that are the same where they are timed and where they are traced.
LAB_UNIT void store_fence() { units::fence(); }
LAB_UNIT void sums_fence() { units::sums_fence(); }
LAB_UNIT void products_commit() { units::commit(); }
LAB_UNIT void stores_commit() { units::commit_stores(); }
LAB_UNIT unsigned pack_e5m2(float x, float y, float z, float w) {
  unsigned four = 0;
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm("{\n.reg .b16 low, high;\ncvt.rn.satfinite.e5m2x2.f32 low, %2, %1;\n"
      "cvt.rn.satfinite.e5m2x2.f32 high, %4, %3;\nmov.b32 %0, {low, high};\n}"
      : "=r"(four)
      : "f"(x), "f"(y), "f"(z), "f"(w));
#endif
  return four;
}
template <int kRegisters>
LAB_UNIT void give_registers() {
  units::give_registers<kRegisters>();
}
template <int kRegisters>
LAB_UNIT void take_registers() {
  units::take_registers<kRegisters>();
}

}  // namespace lab

#undef LAB_UNIT
#define LAB_BOXES __grid_constant__
