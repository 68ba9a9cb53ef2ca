// bulk.cuh on the emulator. Included by it alone.
#pragma once
#include <algorithm>
#include <array>
#include <cstring>

#include "app/model/e4m3.hpp"
#include "app/model/portable.hpp"
#include "app/model/units.hpp"
#include "async_units.hpp"
#include "kernels/lab.cuh"

namespace lab {
namespace detail {

inline simt::Where where(const At& at) { return {simt::machine->file_id_of(at.file), at.line}; }

struct BarrierRef {
  simt::BarrierName name;
  const char* what;
  At at;
};

using lockstep::Kind;

inline void record_unit(const At& at, std::uint32_t offset, std::uint32_t said, std::uint16_t view, int width,
                        Kind kind) {
  simt::Machine& m = *simt::machine;
  if (m.options().trace)
    m.record(
        {offset, said, 0, m.file_id_of(at.file), std::uint16_t(at.line), view, std::uint8_t(width), kind});
}
inline void record_barrier(const BarrierRef& b, Kind kind, unsigned parity = 0) {
  record_unit(b.at, std::uint32_t(b.name.index) * 8 + parity, 0, b.name.array->id, 8, kind);
}

inline float widened_bf16(std::uint32_t bits) { return lockstep::bit_cast<float>(bits << 16); }
inline float widened_e4m3(std::uint32_t bits) {
  static const auto values = [] {
    std::array<float, 256> all;
    for (int i = 0; i < 256; ++i) all[std::size_t(i)] = float(lockstep::value_of_e4m3(std::uint8_t(i)));
    return all;
  }();
  return values[bits & 0xff];
}

template <class Bits, float (*kWiden)(std::uint32_t)>
void widen_unit(const std::uint8_t* unit, double* to, std::size_t step) {
  Bits bits[16 / sizeof(Bits)];
  std::memcpy(bits, unit, sizeof bits);
  for (std::size_t i = 0; i < std::size(bits); ++i) to[i * step] = double(kWiden(bits[i]));
}

struct MultiplyCall {
  simt::Product::Lane lane;  // first: the machine hands it on
  const simt::Product* product = nullptr;
};

inline void multiply_together(void* const lanes[32]) {
  simt::Machine& m = *simt::machine;
  void* of[32];
  for (int i = 0; i < 32; ++i) of[i] = &static_cast<MultiplyCall*>(lanes[i])->lane;
  const auto& head = *static_cast<MultiplyCall*>(lanes[0]);
  m.async().multiply(*head.product, of);
}

}  // namespace detail

template <>
constexpr const char* type_name<e4m3>() {
  return "e4m3";
}

struct SharedBarriers {
  lockstep::simt::SharedArray* array;
  const char* name;
  detail::BarrierRef operator[](At at) const { return {{array, at.i}, name, at}; }
};

// A matrix of `rows` x `cols` elements of one, two or four bytes.
template <class T>
struct BoxedView {
  GlobalView<T> flat;
  int rows = 0, cols = 0, box_rows = 0;
};
template <class T, class P>
using Boxes = BoxedView<T>;

template <class T>
BoxedView<T> boxes(GlobalView<T> view, int rows, int cols, int box_rows) {
  static_assert(sizeof(T) <= 4);
  return {view, rows, cols, box_rows};
}
inline void init_barrier(const detail::BarrierRef& b, int arrivals) {
  lockstep::simt::machine->async().init(b.name, arrivals, b.what, detail::where(b.at));
}
inline void publish_barriers() { lockstep::simt::machine->async().publish(); }
inline void arrive(const detail::BarrierRef& b) {
  detail::record_barrier(b, lockstep::Kind::arrive);
  lockstep::simt::machine->async().arrive_expecting(b.name, 0, detail::where(b.at));
}
// In block `rank` of the cluster: the event's width says so.
inline void arrive(const detail::BarrierRef& b, unsigned rank) {
  detail::record_unit(b.at, std::uint32_t(b.name.index) * 8, 0, b.name.array->id,
                      lockstep::kFarBarrier + int(rank), lockstep::Kind::arrive);
  lockstep::simt::machine->async().arrive_at(rank, b.name, detail::where(b.at));
}
inline void arrive_expecting(const detail::BarrierRef& b, int bytes) {
  detail::record_barrier(b, lockstep::Kind::arrive);
  lockstep::simt::machine->async().arrive_expecting(b.name, bytes, detail::where(b.at));
}
inline void wait_phase(const detail::BarrierRef& b, unsigned parity) {
  detail::record_barrier(b, lockstep::Kind::await_phase, parity & 1);
  lockstep::simt::machine->async().wait(b.name, parity, detail::where(b.at));
}

template <class T, class U>
void copy_box(const detail::SharedRef<T>& target, const BoxedView<U>& from, int row, int col,
              const detail::BarrierRef& barrier, unsigned blocks = 0) {
  using namespace lockstep;
  constexpr int kPerUnit = 16 / int(sizeof(U));
  simt::AsyncUnits& units = simt::machine->async();
  if (!units.aligned(target.array, target.offset, col * int(sizeof(U)), detail::where(target.at))) return;
  const int rows_inside = std::clamp(from.rows - row, 0, from.box_rows),
            units_inside = std::clamp((from.cols - col) / kPerUnit, 0, 8);
  if (rows_inside > 0 && units_inside > 0)
    detail::record_unit(target.at, std::uint32_t((std::int64_t(row) * from.cols + col) * int(sizeof(U))),
                        std::uint32_t(from.cols * int(sizeof(U)) / 16) << 12 | unsigned(rows_inside),
                        from.flat.view, units_inside, lockstep::Kind::box_source);
  detail::record_unit(target.at, std::uint32_t(target.offset), unsigned(from.box_rows) | blocks << 16,
                      target.array->id, 0, lockstep::Kind::box_target);
  simt::Box box{target.array, from.flat.view, {}};
  for (int r = 0; r < from.box_rows; ++r)
    for (int unit = 0; unit < 8; ++unit) {
      const std::int64_t y = std::int64_t(row) + r, x = std::int64_t(col) + kPerUnit * unit;
      const bool inside = y >= 0 && y < from.rows && x >= 0 && x < from.cols;
      simt::BoxPiece piece{units.swizzled(*target.array, target.offset + r * 128 + unit * 16), nullptr, 0};
      if (inside) {
        piece.source = reinterpret_cast<const std::uint8_t*>(from.flat.data + y * from.cols + x);
        piece.bytes_inside =
            std::uint32_t(std::min<std::int64_t>(kPerUnit, from.cols - x) * std::int64_t(sizeof(U)));
      }
      box.pieces.push_back(piece);
    }
  if (blocks == 0)
    units.copy(std::move(box), barrier.name, detail::where(target.at));
  else
    units.copy_to(blocks, box, barrier.name, detail::where(target.at));
}
// Bytes as they stand, in pieces of 16, as a box of rows of 128.
template <class T, class U>
void copy_bulk(const detail::SharedRef<T>& target, const detail::GlobalRef<U>& source, int bytes,
               const detail::BarrierRef& barrier) {
  using namespace lockstep;
  simt::AsyncUnits& units = simt::machine->async();
  const std::int64_t from = source.at.i * std::int64_t(sizeof(U));
  if (!units.aligned_bulk(target.array, target.offset, from, bytes, detail::where(target.at))) return;
  auto last = source;
  last.at.i += bytes / std::int64_t(sizeof(U)) - 1;
  if (!source.allowed(false) || !last.allowed(false)) return;
  detail::record_unit(target.at, std::uint32_t(from), 8u << 12 | unsigned(bytes / 128), source.view, 8,
                      Kind::box_source);
  detail::record_unit(target.at, std::uint32_t(target.offset), unsigned(bytes / 128), target.array->id, 1,
                      Kind::box_target);
  simt::Box box{target.array, source.view, {}};
  const auto* data = reinterpret_cast<const std::uint8_t*>(source.data + source.at.i);
  for (int byte = 0; byte < bytes; byte += 16) box.pieces.push_back({target.offset + byte, data + byte});
  units.copy(std::move(box), barrier.name, detail::where(target.at));
}
// The box of box_rows x 128 bytes that stands at `source`, to the matrix.
template <class T>
void store_box(const BoxedView<T>& to, int row, int col, const detail::SharedRef<T>& source) {
  using namespace lockstep;
  constexpr int kPerUnit = 16 / int(sizeof(T));
  simt::AsyncUnits& units = simt::machine->async();
  if (!units.aligned(source.array, source.offset, col * int(sizeof(T)), detail::where(source.at))) return;
  const int rows_inside = std::clamp(to.rows - row, 0, to.box_rows),
            units_inside = std::clamp((to.cols - col) / kPerUnit, 0, 8);
  if (rows_inside > 0 && units_inside > 0)
    detail::record_unit(source.at, std::uint32_t((std::int64_t(row) * to.cols + col) * int(sizeof(T))),
                        std::uint32_t(to.cols * int(sizeof(T)) / 16) << 12 | unsigned(rows_inside),
                        to.flat.view, units_inside, lockstep::Kind::store_target);
  detail::record_unit(source.at, std::uint32_t(source.offset), unsigned(to.box_rows), source.array->id, 0,
                      lockstep::Kind::store_source);
  simt::StoredBox box{source.array, to.flat.view, {}};
  for (int r = 0; r < to.box_rows; ++r)
    for (int unit = 0; unit < 8; ++unit) {
      const std::int64_t y = std::int64_t(row) + r, x = std::int64_t(col) + kPerUnit * unit;
      simt::StorePiece piece{units.swizzled(*source.array, source.offset + r * 128 + unit * 16), nullptr, 0};
      if (y >= 0 && y < to.rows && x >= 0 && x < to.cols) {
        piece.target = reinterpret_cast<std::uint8_t*>(to.flat.data + y * to.cols + x);
        piece.bytes_inside =
            std::uint32_t(std::min<std::int64_t>(kPerUnit, to.cols - x) * std::int64_t(sizeof(T)));
      }
      box.pieces.push_back(piece);
    }
  units.store(std::move(box), detail::where(source.at));
}
inline void stores_commit() { lockstep::simt::machine->async().commit_stores(); }
namespace detail {
inline void wait_stores(int pending, bool written, const At& at) {
  record_unit(at, std::uint32_t(2 * pending + written), 0, 0, 0, Kind::await_stores);
  simt::machine->async().wait_stores(std::uint32_t(pending), written);
}
}  // namespace detail
template <int kPending>
void stores_read(int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
  detail::wait_stores(kPending, false, {0, line, file});
}
template <int kPending>
void stores_written(int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
  detail::wait_stores(kPending, true, {0, line, file});
}
inline void store_fence() { lockstep::simt::machine->async().fence(); }

template <class T>
lockstep::simt::SharedOperand rows_of(const detail::SharedRef<T>& first) {
  return {first.array, first.offset, 16, 1024, false, int(sizeof(T)), detail::where(first.at)};
}
template <class T>
lockstep::simt::SharedOperand columns_of(const detail::SharedRef<T>& first, int next_64_columns) {
  static_assert(sizeof(T) == 2, "bytes are multiplied along k alone");
  return {first.array, first.offset, next_64_columns, 1024, true, 2, detail::where(first.at)};
}

inline void sums_fence() { lockstep::simt::machine->async().sums_fence(); }
namespace detail {
inline void multiply(simt::Product::Lane lane, const simt::Product& product, const At& at) {
  const simt::SharedOperand& b = product.b;
  const auto said = b.by_columns ? 1u | unsigned(b.leading) << 1 : 0u;
  if (!product.a_in_registers)
    record_unit(at, std::uint32_t(product.a.offset), 0, product.a.array->id, 0, Kind::product_a);
  record_unit(at, std::uint32_t(b.offset), said, b.array->id, product.n / 8, Kind::product_b);
  MultiplyCall call{lane, &product};
  simt::Collective c;
  c.op = Op::matrix, c.name = "multiply", c.data = &call, c.combine = multiply_together;
  c.line = at.line, c.file = at.file;
  simt::machine->collective(c);
}
template <int kN>
simt::Product product_of(const simt::SharedOperand& b, bool keep) {
  static_assert(kN % 8 == 0 && kN >= 8 && kN <= 256);
  simt::Product product;
  product.b = b, product.keep = keep, product.n = kN;
  const bool bytes = b.element_bytes == 1;
  product.widen = bytes ? widened_e4m3 : widened_bf16;
  product.widen_unit =
      bytes ? widen_unit<std::uint8_t, widened_e4m3> : widen_unit<std::uint16_t, widened_bf16>;
  product.first_thread = simt::current->linear / 32 * 32u;
  return product;
}
}  // namespace detail

template <int kN>
void multiply(float* sum, const lockstep::simt::SharedOperand& a, const lockstep::simt::SharedOperand& b,
              bool keep, int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
  auto product = detail::product_of<kN>(b, keep);
  product.a = a;
  detail::multiply({sum, nullptr}, product, {0, line, file});
}
template <int kN>
void multiply(float* sum, const unsigned (&a)[4], const lockstep::simt::SharedOperand& b, bool keep,
              int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
  auto product = detail::product_of<kN>(b, keep);
  product.a_in_registers = true;
  detail::multiply({sum, a}, product, {0, line, file});
}
inline void products_commit() { lockstep::simt::machine->async().commit(); }
template <int kPending>
void products_wait(int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
  auto& m = *lockstep::simt::machine;
  detail::record_unit({0, line, file}, std::uint32_t(kPending), 0, 0, 0, lockstep::Kind::await_products);
  m.async().wait_products(kPending, {m.file_id_of(file), line});
}
template <int kRegisters>
void give_registers() {}
template <int kRegisters>
void take_registers() {}

}  // namespace lab

#define LAB_BOXES
#define SHARED_BARRIERS(name, size) \
  const SharedBarriers name { lab::shared_row<std::uint64_t, size>(#name, __LINE__, __FILE__).array, #name }
#define DYNAMIC_BOXES(T, name, rows, first_byte) \
  const auto name = shared_tile<T, rows, 128 / sizeof(T)>(#name, __LINE__, __FILE__, first_byte)
#define DYNAMIC_CHUNKS(T, name, rows, cols, first_byte) \
  const auto name = shared_tile<T, rows, cols>(#name, __LINE__, __FILE__, first_byte)
