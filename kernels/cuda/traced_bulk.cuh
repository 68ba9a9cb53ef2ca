// bulk.cuh where kernels are traced: what units are told is an event each (app/model/units.hpp), then done.
// Included by bulk.cuh alone.
#pragma once
#include "app/model/units.hpp"
#include "kernels/cuda/units.cuh"
#include "kernels/lab.cuh"

namespace lab {

// A barrier asked for, and the line that does.
struct TracedBarrier {
  std::uint64_t* address;
  std::uint16_t view;
  At at;
  LAB_DEVICE unsigned shared() const { return units::address(address); }
  LAB_DEVICE void record(Kind kind, unsigned parity = 0) const {
    lab::record(std::uint32_t(at.i) * 8 + parity, at.file, at.line, view, 8, kind);
  }
};
struct TracedBarriers {
  std::uint64_t* first;
  std::uint16_t view;
  LAB_DEVICE TracedBarrier operator[](At at) const { return {first + at.i, view, at}; }
};

LAB_DEVICE void record_unit(const At& at, std::uint32_t offset, std::uint32_t said, std::uint16_t view,
                            int width, Kind kind) {
  if (Access* const event = record(offset, at.file, at.line, view, width, kind)) event->mask = said;
}

template <class T>
struct BoxedView {
  CUtensorMap map;
  int rows, cols, box_rows;
  std::uint16_t view;
};
template <class T, class P>
using Boxes = BoxedView<T>;
template <class T>
BoxedView<T> boxes(TracedView<T> data, int rows, int cols, int box_rows) {
  return {units::tensor_map(data.data, lockstep::matrix_box(rows, cols, box_rows, sizeof(T))), rows, cols,
          box_rows, data.view};
}

template <class T, int kDimensions>
struct TensorView {
  CUtensorMap map;
  lockstep::TensorBox box;
  std::uint16_t view;
};
template <class T, int kDimensions, class P>
using Tensor = TensorView<T, kDimensions>;
template <class T, int kDimensions>
TensorView<T, kDimensions> tensor(TracedView<T> data, Shape<kDimensions> extents, Shape<kDimensions> box,
                                  BoxSwizzle swizzle) {
  const auto t = lockstep::tensor_box(extents.at, box.at, sizeof(T), swizzle);
  return {units::tensor_map(data.data, t), t, data.view};
}

LAB_DEVICE void publish_barriers() { units::publish(); }
LAB_DEVICE void init_barrier(const TracedBarrier& b, int arrivals) { units::init(b.shared(), arrivals); }
LAB_DEVICE void arrive(const TracedBarrier& b) {
  b.record(Kind::arrive);
  units::arrive(b.shared());
}
LAB_DEVICE void arrive(const TracedBarrier& b, unsigned rank) {
  record(std::uint32_t(b.at.i) * 8, b.at.file, b.at.line, b.view, lockstep::kFarBarrier + int(rank),
         Kind::arrive);
  units::arrive_at(b.shared(), rank);
}
LAB_DEVICE void arrive_expecting(const TracedBarrier& b, int bytes) {
  b.record(Kind::arrive);
  units::arrive_expecting(b.shared(), bytes);
}
LAB_DEVICE void wait_phase(const TracedBarrier& b, unsigned parity) {
  b.record(Kind::await_phase, parity & 1);
  units::wait(b.shared(), parity);
}

// The events of a box that stands at `shared`.
template <class T>
LAB_DEVICE void record_box(const TracedRef<T>& shared, const lockstep::BoxEvents& e, std::uint16_t view,
                           Kind outside, Kind in_shared, unsigned blocks, int shared_width) {
  if (e.rows_inside > 0)
    record_unit(shared.at, std::uint32_t(e.source), lockstep::said_outside(e), view, e.units_inside, outside);
  record_unit(shared.at, std::uint32_t(shared.offset + e.target), lockstep::said_in_shared(e, blocks),
              shared.view, shared_width, in_shared);
}
template <class T>
LAB_DEVICE lockstep::BoxEvents events_of(const BoxedView<T>& matrix, int row, int col) {
  return lockstep::matrix_events(matrix.rows, matrix.cols, matrix.box_rows, sizeof(T), row, col);
}

template <int kDimensions, class T>
LAB_DEVICE void fetch(const TracedRef<T>& target, const CUtensorMap& map, const lockstep::BoxPlace& place,
                      const TracedBarrier& barrier, unsigned blocks) {
  if (blocks == 0)
    units::fetch<kDimensions>(units::address(target.address), map, place, barrier.shared());
  else
    units::fetch<kDimensions>(units::address(target.address), map, place, barrier.shared(), blocks);
}
template <class T, class U>
LAB_DEVICE void copy_box(const TracedRef<T>& target, const BoxedView<U>& from, int row, int col,
                         const TracedBarrier& barrier, unsigned blocks = 0) {
  record_box(target, events_of(from, row, col), from.view, Kind::box_source, Kind::box_target, blocks, 0);
  fetch<2>(target, from.map, {{col, row}}, barrier, blocks);
}
template <class T, class U, int kDimensions>
LAB_DEVICE void copy_tensor(const TracedRef<T>& target, const TensorView<U, kDimensions>& from,
                            const int (&place)[kDimensions], const TracedBarrier& barrier,
                            unsigned blocks = 0) {
  lockstep::for_each_events(from.box, place, [&](const lockstep::BoxEvents& e) {
    record_box(target, e, from.view, Kind::box_source, Kind::box_target, blocks,
               lockstep::shared_width(from.box.swizzle));
  });
  fetch<kDimensions>(target, from.map, place, barrier, blocks);
}

template <Reduction kHow, int kDimensions, class T>
LAB_DEVICE void send(const CUtensorMap& map, const lockstep::BoxPlace& place, const TracedRef<T>& source) {
  if constexpr (kHow == Reduction::none) {
    units::store<kDimensions>(map, place, units::address(source.address));
  } else {
    static_assert(reduces<T>(kHow));
    units::reduce<kHow, kDimensions>(map, place, units::address(source.address));
  }
}
template <Reduction kHow, class T>
LAB_DEVICE void reduce_box(const BoxedView<T>& to, int row, int col, const TracedRef<T>& source) {
  record_box(source, events_of(to, row, col), to.view, Kind::store_target, Kind::store_source, 0,
             lockstep::shared_width(BoxSwizzle::bytes_128, kHow));
  send<kHow, 2>(to.map, {{col, row}}, source);
}
template <class T>
LAB_DEVICE void store_box(const BoxedView<T>& to, int row, int col, const TracedRef<T>& source) {
  reduce_box<Reduction::none>(to, row, col, source);
}
template <Reduction kHow, class T, int kDimensions>
LAB_DEVICE void reduce_tensor(const TensorView<T, kDimensions>& to, const int (&place)[kDimensions],
                              const TracedRef<T>& source) {
  lockstep::for_each_events(to.box, place, [&](const lockstep::BoxEvents& e) {
    record_box(source, e, to.view, Kind::store_target, Kind::store_source, 0,
               lockstep::shared_width(to.box.swizzle, kHow));
  });
  send<kHow, kDimensions>(to.map, place, source);
}
template <class T, int kDimensions>
LAB_DEVICE void store_tensor(const TensorView<T, kDimensions>& to, const int (&place)[kDimensions],
                             const TracedRef<T>& source) {
  reduce_tensor<Reduction::none>(to, place, source);
}
template <int kPending>
LAB_DEVICE void stores_read(int line = __builtin_LINE(), std::uint16_t file = site_file(__builtin_FILE())) {
  record_unit({0, line, file}, 2 * kPending, 0, 0, 0, Kind::await_stores);
  units::wait_stores_read<kPending>();
}
template <int kPending>
LAB_DEVICE void stores_written(int line = __builtin_LINE(),
                               std::uint16_t file = site_file(__builtin_FILE())) {
  record_unit({0, line, file}, 2 * kPending + 1, 0, 0, 0, Kind::await_stores);
  units::wait_stores_written<kPending>();
}

// As a box whose rows of 128 bytes lie one behind the other, here and there.
template <class T, class U>
LAB_DEVICE void record_bulk(const At& at, const TracedRef<T>& shared, const TracedRef<U>& global, int bytes,
                            Kind outside, Kind in_shared, Reduction how) {
  record_unit(at, global.offset, 8u << 12 | unsigned(bytes / 128), global.view, 8, outside);
  record_unit(at, shared.offset, unsigned(bytes / 128), shared.view,
              lockstep::shared_width(BoxSwizzle::none, how), in_shared);
}
template <class T, class U>
LAB_DEVICE void copy_bulk(const TracedRef<T>& target, const TracedRef<U>& source, int bytes,
                          const TracedBarrier& barrier) {
  record_bulk(target.at, target, source, bytes, Kind::box_source, Kind::box_target, Reduction::none);
  units::fetch_bytes(units::address(target.address), source.address, bytes, barrier.shared());
}
template <class T>
LAB_DEVICE void store_bulk(const TracedRef<T>& target, const TracedRef<T>& source, int bytes) {
  record_bulk(source.at, source, target, bytes, Kind::store_target, Kind::store_source, Reduction::none);
  units::store_bytes(target.address, units::address(source.address), bytes);
}
template <Reduction kHow, class T>
LAB_DEVICE void reduce_bulk(const TracedRef<T>& target, const TracedRef<T>& source, int bytes) {
  static_assert(reduces<T>(kHow));
  record_bulk(source.at, source, target, bytes, Kind::store_target, Kind::store_source, kHow);
  units::reduce_bytes<kHow>(target.address, units::address(source.address), bytes);
}

template <bool kByColumns, int kElementBytes, class Format = void>
struct TracedOperand {
  units::Operand<kByColumns, kElementBytes, Format> operand;
  std::uint32_t offset;
  std::uint16_t view;
  unsigned leading;
};
template <bool kByColumns, class T>
using TracedOperandOf = TracedOperand<kByColumns, sizeof(T), units::FormatOf<T>>;
template <class T>
LAB_DEVICE TracedOperandOf<false, T> rows_of(const TracedRef<T>& first) {
  return {units::operand<false, T>(units::address(first.address), 16), first.offset, first.view, 0};
}
template <class T>
LAB_DEVICE TracedOperandOf<true, T> columns_of(const TracedRef<T>& first, int next_64_columns) {
  static_assert(sizeof(T) == 2);
  return {units::operand<true, T>(units::address(first.address), next_64_columns), first.offset, first.view,
          unsigned(next_64_columns)};
}
template <int kN, bool kByColumns, int kElementBytes, class Format>
LAB_DEVICE void multiply(float* sum, const TracedOperand<false, kElementBytes, Format>& a,
                         const TracedOperand<kByColumns, kElementBytes, Format>& b, bool keep,
                         int line = __builtin_LINE(), std::uint16_t file = site_file(__builtin_FILE())) {
  const At at{0, line, file};
  record_unit(at, a.offset, 0, a.view, 0, Kind::product_a);
  record_unit(at, b.offset, kByColumns ? 1u | b.leading << 1 : 0u, b.view, kN / 8, Kind::product_b);
  units::multiply_operands<kN>(sum, a.operand, b.operand, keep);
}
template <int kN, bool kByColumns, int kElementBytes, class Format>
LAB_DEVICE void multiply(float* sum, const unsigned (&a)[4],
                         const TracedOperand<kByColumns, kElementBytes, Format>& b, bool keep,
                         int line = __builtin_LINE(), std::uint16_t file = site_file(__builtin_FILE())) {
  record_unit({0, line, file}, b.offset, kByColumns ? 1u | b.leading << 1 : 0u, b.view, kN / 8,
              Kind::product_b);
  units::multiply_registers<kN>(sum, a, b.operand, keep);
}
template <int kPending>
LAB_DEVICE void products_wait(int line = __builtin_LINE(), std::uint16_t file = site_file(__builtin_FILE())) {
  record_unit({0, line, file}, kPending, 0, 0, 0, Kind::await_products);
  units::wait_products<kPending>();
}

}  // namespace lab

#define SHARED_BARRIERS(name, size)              \
  __shared__ std::uint64_t name##_storage[size]; \
  const TracedBarriers name { name##_storage, ::lab::shared_view(::lab::site_file(__FILE__), __LINE__) }
#define DYNAMIC_BOXES(T, name, rows, first_byte)                     \
  extern __shared__ __align__(1024) unsigned char lab_boxed_bytes[]; \
  const TracedTile<T, 128 / sizeof(T), NoSwizzle> name {             \
    reinterpret_cast<T*>(lab_boxed_bytes + (first_byte)),            \
        ::lab::shared_view(::lab::site_file(__FILE__), __LINE__)     \
  }
#define DYNAMIC_CHUNKS(T, name, rows, cols, first_byte)              \
  extern __shared__ __align__(1024) unsigned char lab_boxed_bytes[]; \
  const TracedTile<T, cols, NoSwizzle> name {                        \
    reinterpret_cast<T*>(lab_boxed_bytes + (first_byte)),            \
        ::lab::shared_view(::lab::site_file(__FILE__), __LINE__)     \
  }
