// bulk.cuh on the GPU: the PTX behind its words. Included by it alone. Below compute capability 9.0a nothing
// of it exists, and kernels that use it are not launched.
#pragma once
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/cuda/multiply.cuh"
#include "kernels/lab.cuh"

namespace lab {

using SharedBarrier = std::uint64_t;

// A tensor map of two dimensions (CUDA driver API, cuTensorMapEncodeTiled).
template <class T>
struct BoxedView {
  CUtensorMap map;
};
template <class T, class P>
using Boxes = BoxedView<T>;

// A matrix of `rows` x `cols` elements of two bytes, fetched in boxes of box_rows x 64 with 128-byte swizzle
// and zeros outside. The driver's function is looked up once; where there is none the map stays empty, and
// the launch says so.
template <class T>
BoxedView<T> boxes(T* data, int rows, int cols, int box_rows) {
  static_assert(sizeof(T) == 2);
  using Encode = decltype(&cuTensorMapEncodeTiled);
  static const Encode encode = [] {
    void* f = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found);
    return reinterpret_cast<Encode>(f);
  }();
  BoxedView<T> view{};
  const cuuint64_t extents[] = {cuuint64_t(cols), cuuint64_t(rows)}, pitch[] = {cuuint64_t(cols) * 2};
  const cuuint32_t box[] = {64, cuuint32_t(box_rows)}, steps[] = {1, 1};
  if (encode)
    encode(&view.map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<std::remove_const_t<T>*>(data), extents,
           pitch, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
           CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return view;
}

LAB_DEVICE unsigned bulk_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

LAB_DEVICE void init_barrier(SharedBarrier& b, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bulk_address(&b)), "r"(arrivals) : "memory");
}
LAB_DEVICE void publish_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
LAB_DEVICE void arrive(SharedBarrier& b) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bulk_address(&b)) : "memory");
}
LAB_DEVICE void arrive_expecting(SharedBarrier& b, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bulk_address(&b)), "r"(bytes)
               : "memory");
}
LAB_DEVICE void wait_phase(SharedBarrier& b, unsigned parity) {
  asm volatile(
      "{\n.reg .pred ended;\nAGAIN:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1;\n"
      "@ended bra DONE;\nbra AGAIN;\nDONE:\n}" ::"r"(bulk_address(&b)),
      "r"(parity)
      : "memory");
}

template <class T, class U>
LAB_DEVICE void copy_box(T& target, const BoxedView<U>& from, int row, int col, SharedBarrier& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], "
      "[%2];" ::"r"(bulk_address(&target)),
      "l"(&from.map), "r"(bulk_address(&barrier)), "r"(col), "r"(row)
      : "memory");
}
LAB_DEVICE void store_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// A matrix descriptor (PTX ISA, "Matrix Descriptor Format"), 128-byte swizzle.
template <bool kByColumns>
struct Operand {
  std::uint64_t bits;
};
template <bool kByColumns>
LAB_DEVICE Operand<kByColumns> operand(const void* first, int leading) {
  constexpr std::uint64_t kStride = 1024;
  return {static_cast<std::uint64_t>((bulk_address(first) & 0x3ffff) >> 4) |
          static_cast<std::uint64_t>(leading >> 4) << 16 | kStride >> 4 << 32 | std::uint64_t{1} << 62};
}
template <class T>
LAB_DEVICE Operand<false> rows_of(const T& first) {
  return operand<false>(&first, 16);
}
template <class T>
LAB_DEVICE Operand<true> columns_of(const T& first, int next_64_columns) {
  return operand<true>(&first, next_64_columns);
}

LAB_DEVICE void sums_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
template <int kN, bool kByColumns>
LAB_DEVICE void multiply(float* sum, Operand<false> a, Operand<kByColumns> b, bool keep) {
  Multiply<kN>::template run<kByColumns>(sum, a.bits, b.bits, keep);
}
LAB_DEVICE void products_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int kPending>
LAB_DEVICE void products_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}
template <int kRegisters>
LAB_DEVICE void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
LAB_DEVICE void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

}  // namespace lab

#define LAB_BOXES __grid_constant__
#define SHARED_BARRIERS(name, size) __shared__ SharedBarrier name[size]
#define DYNAMIC_BOXES(T, name, rows, first_byte)                     \
  extern __shared__ __align__(1024) unsigned char lab_boxed_bytes[]; \
  const auto name = reinterpret_cast<T(*)[64]>(lab_boxed_bytes + (first_byte))
