// The PTX of the copy engine, the barriers in shared memory and the products of warpgroups (compute
// capability 9.0a), for the clean and the traced dialect. Below it nothing of it exists, and kernels that use
// it are not launched. Addresses are those of shared memory.
#pragma once
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "kernels/cuda/multiply.cuh"

#define LAB_UNIT __device__ __forceinline__

namespace lab::units {

// The tensor map of a matrix of `rows` x `cols` elements of one, two or four bytes, which goes in boxes of
// box_rows x 128 bytes with 128-byte swizzle and zeros outside (CUDA driver API, cuTensorMapEncodeTiled). The
// driver's function is looked up once; where there is none the map stays empty, and the launch says so.
template <class T>
CUtensorMap tensor_map(const T* data, int rows, int cols, int box_rows) {
  static_assert(sizeof(T) <= 4);
  using Encode = decltype(&cuTensorMapEncodeTiled);
  static const Encode encode = [] {
    void* f = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found);
    return reinterpret_cast<Encode>(f);
  }();
  CUtensorMap map{};
  const cuuint64_t extents[] = {cuuint64_t(cols), cuuint64_t(rows)}, pitch[] = {cuuint64_t(cols) * sizeof(T)};
  const cuuint32_t box[] = {128 / sizeof(T), cuuint32_t(box_rows)}, steps[] = {1, 1};
  if (encode)
    encode(&map,
           sizeof(T) == 4   ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
           : sizeof(T) == 2 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                            : CU_TENSOR_MAP_DATA_TYPE_UINT8,
           2, const_cast<std::remove_const_t<T>*>(data), extents, pitch, box, steps,
           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

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
LAB_UNIT void fetch(unsigned target, const CUtensorMap& from, int row, int col, unsigned barrier) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], "
      "[%2];" ::"r"(target),
      "l"(&from), "r"(barrier), "r"(col), "r"(row)
      : "memory");
#endif
}
// The same for these blocks of the cluster, a bit each: to the same place in each of them.
LAB_UNIT void fetch(unsigned target, const CUtensorMap& from, int row, int col, unsigned barrier,
                    unsigned blocks) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1, {%3, %4}], [%2], %5;" ::"r"(target),
      "l"(&from), "r"(barrier), "r"(col), "r"(row), "h"(static_cast<unsigned short>(blocks))
      : "memory");
#endif
}
// cp.async.bulk: 16 divides both addresses and the bytes.
LAB_UNIT void fetch_bytes(unsigned target, const void* source, int bytes, unsigned barrier) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(target),
      "l"(source), "r"(bytes), "r"(barrier)
      : "memory");
#endif
}
LAB_UNIT void store(const CUtensorMap& to, int row, int col, unsigned source) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&to),
               "r"(source), "r"(col), "r"(row)
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
template <bool kByColumns, int kElementBytes>
struct Operand {
  std::uint64_t bits;
};
template <bool kByColumns, int kElementBytes>
LAB_UNIT Operand<kByColumns, kElementBytes> operand(unsigned first, int leading) {
  constexpr std::uint64_t kStride = 1024;
  return {static_cast<std::uint64_t>((first & 0x3ffff) >> 4) |
          static_cast<std::uint64_t>(leading >> 4) << 16 | kStride >> 4 << 32 | std::uint64_t{1} << 62};
}

LAB_UNIT void sums_fence() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}
template <int kN, bool kByColumns, int kElementBytes>
LAB_UNIT void multiply_operands(float* sum, Operand<false, kElementBytes> a,
                                Operand<kByColumns, kElementBytes> b, bool keep) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  static_assert(kElementBytes == 2 || !kByColumns);
  Multiply<kN, kElementBytes>::template run<kByColumns>(sum, a.bits, b.bits, keep);
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
