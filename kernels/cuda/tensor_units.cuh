// The PTX of boxes of tensors of one to five dimensions, for the clean and the traced dialect (PTX ISA,
// "cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor", "cp.async.bulk", "cp.reduce.async.bulk"). Below
// compute capability 9.0a nothing of it exists. Addresses are those of shared memory.
#pragma once
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "app/model/tensor_box.hpp"

#define LAB_UNIT __device__ __forceinline__

namespace lab::units {

using lockstep::BoxSwizzle, lockstep::Reduction;

// The driver's name for the elements, by which it adds and compares them, too.
// Elements of two bytes are bf16 under either of its names, but for half.
template <class T>
constexpr CUtensorMapDataType data_type() {
  using Value = std::remove_const_t<T>;
  if (sizeof(T) == 1) return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  if (std::is_same_v<Value, __half>) return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  if (sizeof(T) == 2) return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  if (std::is_same_v<Value, int>) return CU_TENSOR_MAP_DATA_TYPE_INT32;
  if (std::is_same_v<Value, unsigned>) return CU_TENSOR_MAP_DATA_TYPE_UINT32;
  return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
}

// The tensor map of elements of one, two or four bytes, with zeros outside (CUDA driver API,
// cuTensorMapEncodeTiled). The driver's function is looked up once; where there is none, or where it refuses,
// the map stays empty, and the launch says so.
template <class T>
CUtensorMap tensor_map(const T* data, const lockstep::TensorBox& t) {
  static_assert(sizeof(T) <= 4);
  using Encode = decltype(&cuTensorMapEncodeTiled);
  static const Encode encode = [] {
    void* f = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found);
    return reinterpret_cast<Encode>(f);
  }();
  CUtensorMap map{};
  constexpr int kMost = lockstep::TensorBox::kMostDimensions;
  cuuint64_t extents[kMost], pitch[kMost];
  cuuint32_t box[kMost], steps[kMost];
  for (int d = 0; d < kMost; ++d) {
    extents[d] = cuuint64_t(t.extent[d]), box[d] = cuuint32_t(t.box[d]), steps[d] = 1;
    if (d > 0) pitch[d - 1] = cuuint64_t(t.pitch(d));
  }
  const CUtensorMapSwizzle swizzle = t.swizzle == BoxSwizzle::bytes_128  ? CU_TENSOR_MAP_SWIZZLE_128B
                                     : t.swizzle == BoxSwizzle::bytes_64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                     : t.swizzle == BoxSwizzle::bytes_32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                                                         : CU_TENSOR_MAP_SWIZZLE_NONE;
  if (encode &&
      encode(&map, data_type<T>(), cuuint32_t(t.dimensions), const_cast<std::remove_const_t<T>*>(data),
             extents, pitch, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    map = {};
  return map;
}

// An instruction by the number of dimensions, which its text names; operands 0 to 4 are the place.
#define LAB_BY_DIMENSIONS(INSTRUCTION, how)       \
  if constexpr (kDimensions == 1) {               \
    INSTRUCTION(how, "1d", "%0");                 \
  } else if constexpr (kDimensions == 2) {        \
    INSTRUCTION(how, "2d", "%0, %1");             \
  } else if constexpr (kDimensions == 3) {        \
    INSTRUCTION(how, "3d", "%0, %1, %2");         \
  } else if constexpr (kDimensions == 4) {        \
    INSTRUCTION(how, "4d", "%0, %1, %2, %3");     \
  } else {                                        \
    INSTRUCTION(how, "5d", "%0, %1, %2, %3, %4"); \
  }
#define LAB_PLACE "r"(place.at[0]), "r"(place.at[1]), "r"(place.at[2]), "r"(place.at[3]), "r"(place.at[4])
#define LAB_FETCH(how, dimensions, at)                                                \
  asm volatile("cp.async.bulk.tensor." dimensions                                     \
               ".shared::cluster.global.mbarrier::complete_tx::bytes [%5], [%6, {" at \
               "}], [%7];" ::LAB_PLACE,                                               \
               "r"(target), "l"(&from), "r"(barrier)                                  \
               : "memory")
#define LAB_FETCH_TO(how, dimensions, at)                                                                \
  asm volatile("cp.async.bulk.tensor." dimensions                                                        \
               ".shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%5], [%6, {" at \
               "}], [%7], %8;" ::LAB_PLACE,                                                              \
               "r"(target), "l"(&from), "r"(barrier), "h"(static_cast<unsigned short>(blocks))           \
               : "memory")
#define LAB_STORE(how, dimensions, at)                                                       \
  asm volatile("cp.async.bulk.tensor." dimensions ".global.shared::cta.bulk_group [%5, {" at \
               "}], [%6];" ::LAB_PLACE,                                                      \
               "l"(&to), "r"(source)                                                         \
               : "memory")
#define LAB_REDUCE(how, dimensions, at)                                             \
  asm volatile("cp.reduce.async.bulk.tensor." dimensions ".global.shared::cta." how \
               ".tile.bulk_group [%5, {" at "}], [%6];" ::LAB_PLACE,                \
               "l"(&to), "r"(source)                                                \
               : "memory")

// Of a matrix: the operands stand as in kernels/plain/device.cuh, and the machine code is the same.
LAB_UNIT void fetch(unsigned target, const CUtensorMap& from, int row, int col, unsigned barrier) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], "
      "[%2];" ::"r"(target),
      "l"(&from), "r"(barrier), "r"(col), "r"(row)
      : "memory");
#endif
}
template <int kDimensions>
LAB_UNIT void fetch(unsigned target, const CUtensorMap& from, const lockstep::BoxPlace& place,
                    unsigned barrier) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  LAB_BY_DIMENSIONS(LAB_FETCH, "")
#endif
}
// The same for these blocks of the cluster, a bit each: to the same place in each of them.
template <int kDimensions>
LAB_UNIT void fetch(unsigned target, const CUtensorMap& from, const lockstep::BoxPlace& place,
                    unsigned barrier, unsigned blocks) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  LAB_BY_DIMENSIONS(LAB_FETCH_TO, "")
#endif
}
template <int kDimensions>
LAB_UNIT void store(const CUtensorMap& to, const lockstep::BoxPlace& place, unsigned source) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  LAB_BY_DIMENSIONS(LAB_STORE, "")
#endif
}
template <Reduction kHow, int kDimensions>
LAB_UNIT void reduce(const CUtensorMap& to, const lockstep::BoxPlace& place, unsigned source) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  if constexpr (kHow == Reduction::add) {
    LAB_BY_DIMENSIONS(LAB_REDUCE, "add")
  } else if constexpr (kHow == Reduction::min) {
    LAB_BY_DIMENSIONS(LAB_REDUCE, "min")
  } else if constexpr (kHow == Reduction::max) {
    LAB_BY_DIMENSIONS(LAB_REDUCE, "max")
  } else if constexpr (kHow == Reduction::bit_and) {
    LAB_BY_DIMENSIONS(LAB_REDUCE, "and")
  } else if constexpr (kHow == Reduction::bit_or) {
    LAB_BY_DIMENSIONS(LAB_REDUCE, "or")
  } else {
    LAB_BY_DIMENSIONS(LAB_REDUCE, "xor")
  }
#endif
}
#undef LAB_BY_DIMENSIONS
#undef LAB_PLACE
#undef LAB_FETCH
#undef LAB_FETCH_TO
#undef LAB_STORE
#undef LAB_REDUCE

// Bytes as they stand: 16 divides both addresses and the bytes.
LAB_UNIT void fetch_bytes(unsigned target, const void* source, int bytes, unsigned barrier) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(target),
      "l"(source), "r"(bytes), "r"(barrier)
      : "memory");
#endif
}
LAB_UNIT void store_bytes(void* target, unsigned source, int bytes) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(target), "r"(source),
               "r"(bytes)
               : "memory");
#endif
}
#define LAB_REDUCE_BYTES(how)                                                                              \
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." how " [%0], [%1], %2;" ::"l"(target), \
               "r"(source), "r"(bytes)                                                                     \
               : "memory")
template <Reduction kHow, class T>
LAB_UNIT void reduce_bytes(T* target, unsigned source, int bytes) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  constexpr bool kHalf = std::is_same_v<T, __half>, kBf16 = sizeof(T) == 2 && !kHalf,
                 kFloat = std::is_same_v<T, float>, kSigned = std::is_same_v<T, int>;
  if constexpr (kHow == Reduction::bit_and)
    LAB_REDUCE_BYTES("and.b32");
  else if constexpr (kHow == Reduction::bit_or)
    LAB_REDUCE_BYTES("or.b32");
  else if constexpr (kHow == Reduction::bit_xor)
    LAB_REDUCE_BYTES("xor.b32");
  else if constexpr (kHow == Reduction::add && kFloat)
    LAB_REDUCE_BYTES("add.f32");
  else if constexpr (kHow == Reduction::add && kHalf)
    LAB_REDUCE_BYTES("add.noftz.f16");
  else if constexpr (kHow == Reduction::add && kBf16)
    LAB_REDUCE_BYTES("add.noftz.bf16");
  else if constexpr (kHow == Reduction::add && kSigned)
    LAB_REDUCE_BYTES("add.s32");
  else if constexpr (kHow == Reduction::add)
    LAB_REDUCE_BYTES("add.u32");
  else if constexpr (kHow == Reduction::min && kHalf)
    LAB_REDUCE_BYTES("min.f16");
  else if constexpr (kHow == Reduction::min && kBf16)
    LAB_REDUCE_BYTES("min.bf16");
  else if constexpr (kHow == Reduction::min && kSigned)
    LAB_REDUCE_BYTES("min.s32");
  else if constexpr (kHow == Reduction::min)
    LAB_REDUCE_BYTES("min.u32");
  else if constexpr (kHalf)
    LAB_REDUCE_BYTES("max.f16");
  else if constexpr (kBf16)
    LAB_REDUCE_BYTES("max.bf16");
  else if constexpr (kSigned)
    LAB_REDUCE_BYTES("max.s32");
  else
    LAB_REDUCE_BYTES("max.u32");
#endif
}
#undef LAB_REDUCE_BYTES

}  // namespace lab::units

#undef LAB_UNIT
