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
  return {units::tensor_map(data.data, rows, cols, box_rows), rows, cols, box_rows, data.view};
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

template <class T>
constexpr int kPerUnit = 16 / int(sizeof(T));  // elements in 16 bytes

template <class T, class U>
LAB_DEVICE void copy_box(const TracedRef<T>& target, const BoxedView<U>& from, int row, int col,
                         const TracedBarrier& barrier, unsigned blocks = 0) {
  const int rows = min(max(from.rows - row, 0), from.box_rows),
            units = min(max((from.cols - col) / kPerUnit<U>, 0), 8);
  if (rows > 0 && units > 0)
    record_unit(target.at, std::uint32_t((std::int64_t(row) * from.cols + col) * int(sizeof(U))),
                std::uint32_t(from.cols * int(sizeof(U)) / 16) << 12 | unsigned(rows), from.view, units,
                Kind::box_source);
  record_unit(target.at, target.offset, unsigned(from.box_rows) | blocks << 16, target.view, 0,
              Kind::box_target);
  if (blocks == 0)
    units::fetch(units::address(target.address), from.map, row, col, barrier.shared());
  else
    units::fetch(units::address(target.address), from.map, row, col, barrier.shared(), blocks);
}

template <class T>
LAB_DEVICE void store_box(const BoxedView<T>& to, int row, int col, const TracedRef<T>& source) {
  const int rows = min(max(to.rows - row, 0), to.box_rows),
            units = min(max((to.cols - col) / kPerUnit<T>, 0), 8);
  if (rows > 0 && units > 0)
    record_unit(source.at, std::uint32_t((std::int64_t(row) * to.cols + col) * int(sizeof(T))),
                std::uint32_t(to.cols * int(sizeof(T)) / 16) << 12 | unsigned(rows), to.view, units,
                Kind::store_target);
  record_unit(source.at, source.offset, unsigned(to.box_rows), source.view, 0, Kind::store_source);
  units::store(to.map, row, col, units::address(source.address));
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
LAB_DEVICE void copy_bulk(const TracedRef<T>& target, const TracedRef<U>& source, int bytes,
                          const TracedBarrier& barrier) {
  record_unit(target.at, source.offset, 8u << 12 | unsigned(bytes / 128), source.view, 8, Kind::box_source);
  record_unit(target.at, target.offset, unsigned(bytes / 128), target.view, 1, Kind::box_target);
  units::fetch_bytes(units::address(target.address), source.address, bytes, barrier.shared());
}

template <bool kByColumns, int kElementBytes>
struct TracedOperand {
  units::Operand<kByColumns, kElementBytes> operand;
  std::uint32_t offset;
  std::uint16_t view;
  unsigned leading;
};
template <class T>
LAB_DEVICE TracedOperand<false, sizeof(T)> rows_of(const TracedRef<T>& first) {
  return {units::operand<false, sizeof(T)>(units::address(first.address), 16), first.offset, first.view, 0};
}
template <class T>
LAB_DEVICE TracedOperand<true, 2> columns_of(const TracedRef<T>& first, int next_64_columns) {
  return {units::operand<true, 2>(units::address(first.address), next_64_columns), first.offset, first.view,
          unsigned(next_64_columns)};
}
template <int kN, bool kByColumns, int kElementBytes>
LAB_DEVICE void multiply(float* sum, const TracedOperand<false, kElementBytes>& a,
                         const TracedOperand<kByColumns, kElementBytes>& b, bool keep,
                         int line = __builtin_LINE(), std::uint16_t file = site_file(__builtin_FILE())) {
  const At at{0, line, file};
  record_unit(at, a.offset, 0, a.view, 0, Kind::product_a);
  record_unit(at, b.offset, kByColumns ? 1u | b.leading << 1 : 0u, b.view, kN / 8, Kind::product_b);
  units::multiply_operands<kN>(sum, a.operand, b.operand, keep);
}
template <int kN, bool kByColumns, int kElementBytes>
LAB_DEVICE void multiply(float* sum, const unsigned (&a)[4],
                         const TracedOperand<kByColumns, kElementBytes>& b, bool keep,
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
