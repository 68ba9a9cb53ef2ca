// bulk.cuh on the GPU, for timing. Included by it alone.
#pragma once
#include "kernels/cuda/units.cuh"
#include "kernels/lab.cuh"

namespace lab {

using SharedBarrier = std::uint64_t;

template <class T>
struct BoxedView {
  CUtensorMap map;
};
template <class T, class P>
using Boxes = BoxedView<T>;
template <class T>
BoxedView<T> boxes(T* data, int rows, int cols, int box_rows) {
  return {units::tensor_map(data, lockstep::matrix_box(rows, cols, box_rows, sizeof(T)))};
}

template <class T, int kDimensions>
struct TensorView {
  CUtensorMap map;
};
template <class T, int kDimensions, class P>
using Tensor = TensorView<T, kDimensions>;
template <class T, int kDimensions>
TensorView<T, kDimensions> tensor(T* data, Shape<kDimensions> extents, Shape<kDimensions> box,
                                  BoxSwizzle swizzle) {
  return {units::tensor_map(data, lockstep::tensor_box(extents.at, box.at, sizeof(T), swizzle))};
}

LAB_DEVICE void init_barrier(SharedBarrier& b, int arrivals) { units::init(units::address(&b), arrivals); }
LAB_DEVICE void arrive(SharedBarrier& b) { units::arrive(units::address(&b)); }
LAB_DEVICE void arrive(SharedBarrier& b, unsigned rank) { units::arrive_at(units::address(&b), rank); }
LAB_DEVICE void arrive_expecting(SharedBarrier& b, int bytes) {
  units::arrive_expecting(units::address(&b), bytes);
}
LAB_DEVICE void publish_barriers() {
  begin_notes();
  units::publish();
}
LAB_DEVICE void wait_phase(SharedBarrier& b, unsigned parity) {
  const Waiting waiting(NoteOf::phase);
  units::wait(units::address(&b), parity);
}

template <class T, class U>
LAB_DEVICE void copy_box(T& target, const BoxedView<U>& from, int row, int col, SharedBarrier& barrier) {
  units::fetch(units::address(&target), from.map, row, col, units::address(&barrier));
}
template <class T, class U>
LAB_DEVICE void copy_box(T& target, const BoxedView<U>& from, int row, int col, SharedBarrier& barrier,
                         unsigned blocks) {
  units::fetch<2>(units::address(&target), from.map, {{col, row}}, units::address(&barrier), blocks);
}
template <class T, class U, int kDimensions>
LAB_DEVICE void copy_tensor(T& target, const TensorView<U, kDimensions>& from,
                            const int (&place)[kDimensions], SharedBarrier& barrier) {
  units::fetch<kDimensions>(units::address(&target), from.map, place, units::address(&barrier));
}
template <class T, class U, int kDimensions>
LAB_DEVICE void copy_tensor(T& target, const TensorView<U, kDimensions>& from,
                            const int (&place)[kDimensions], SharedBarrier& barrier, unsigned blocks) {
  units::fetch<kDimensions>(units::address(&target), from.map, place, units::address(&barrier), blocks);
}

template <class T>
LAB_DEVICE void store_box(const BoxedView<T>& to, int row, int col, const T& source) {
  units::store<2>(to.map, {{col, row}}, units::address(&source));
}
template <class T, int kDimensions>
LAB_DEVICE void store_tensor(const TensorView<T, kDimensions>& to, const int (&place)[kDimensions],
                             const T& source) {
  units::store<kDimensions>(to.map, place, units::address(&source));
}
template <Reduction kHow, class T>
LAB_DEVICE void reduce_box(const BoxedView<T>& to, int row, int col, const T& source) {
  static_assert(reduces<T>(kHow));
  units::reduce<kHow, 2>(to.map, {{col, row}}, units::address(&source));
}
template <Reduction kHow, class T, int kDimensions>
LAB_DEVICE void reduce_tensor(const TensorView<T, kDimensions>& to, const int (&place)[kDimensions],
                              const T& source) {
  static_assert(reduces<T>(kHow));
  units::reduce<kHow, kDimensions>(to.map, place, units::address(&source));
}
template <int kPending>
LAB_DEVICE void stores_read() {
  units::wait_stores_read<kPending>();
}
template <int kPending>
LAB_DEVICE void stores_written() {
  units::wait_stores_written<kPending>();
}

template <class T, class U>
LAB_DEVICE void copy_bulk(T& target, const U& source, int bytes, SharedBarrier& barrier) {
  units::fetch_bytes(units::address(&target), &source, bytes, units::address(&barrier));
}
template <class T>
LAB_DEVICE void store_bulk(T& target, const T& source, int bytes) {
  units::store_bytes(&target, units::address(&source), bytes);
}
template <Reduction kHow, class T>
LAB_DEVICE void reduce_bulk(T& target, const T& source, int bytes) {
  static_assert(reduces<T>(kHow));
  units::reduce_bytes<kHow>(&target, units::address(&source), bytes);
}

template <class T>
LAB_DEVICE units::OperandOf<false, T> rows_of(const T& first) {
  return units::operand<false, T>(units::address(&first), 16);
}
template <class T>
LAB_DEVICE units::OperandOf<true, T> columns_of(const T& first, int next_64_columns) {
  static_assert(sizeof(T) == 2);
  return units::operand<true, T>(units::address(&first), next_64_columns);
}
template <int kN, bool kByColumns, int kElementBytes, class Format>
LAB_DEVICE void multiply(float* sum, units::Operand<false, kElementBytes, Format> a,
                         units::Operand<kByColumns, kElementBytes, Format> b, bool keep) {
  units::multiply_operands<kN>(sum, a, b, keep);
}
template <int kN, bool kByColumns, int kElementBytes, class Format>
LAB_DEVICE void multiply(float* sum, const unsigned (&a)[4],
                         units::Operand<kByColumns, kElementBytes, Format> b, bool keep) {
  units::multiply_registers<kN>(sum, a, b, keep);
}
template <int kPending>
LAB_DEVICE void products_wait() {
  const Waiting waiting(NoteOf::products, kPending);
  units::wait_products<kPending>();
}

}  // namespace lab

#define SHARED_BARRIERS(name, size) __shared__ SharedBarrier name[size]
#define DYNAMIC_BOXES(T, name, rows, first_byte)                     \
  extern __shared__ __align__(1024) unsigned char lab_boxed_bytes[]; \
  const auto name = reinterpret_cast<T(*)[128 / sizeof(T)]>(lab_boxed_bytes + (first_byte))
#define DYNAMIC_CHUNKS(T, name, rows, cols, first_byte)              \
  extern __shared__ __align__(1024) unsigned char lab_boxed_bytes[]; \
  const auto name = reinterpret_cast<T(*)[cols]>(lab_boxed_bytes + (first_byte))
