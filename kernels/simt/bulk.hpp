// bulk.cuh on the emulator. Included by it alone.
#pragma once
#include <algorithm>
#include <array>
#include <cstring>

#include "app/model/e4m3.hpp"
#include "app/model/e5m2.hpp"
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

inline float widened_half(std::uint32_t bits) { return half::of_bits(std::uint16_t(bits)); }
inline float widened_e5m2(std::uint32_t bits) { return widened_half(bits << 8 & 0xff00); }

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
template <>
constexpr const char* type_name<e5m2>() {
  return "e5m2";
}
inline unsigned pack_e5m2(float x, float y, float z, float w) {
  unsigned four = 0;
  for (const float value : {w, z, y, x}) four = four << 8 | lockstep::nearest_e5m2(double(value));
  return four;
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
  lockstep::TensorBox tensor() const { return lockstep::matrix_box(rows, cols, box_rows, int(sizeof(T))); }
};
template <class T, class P>
using Boxes = BoxedView<T>;
template <class T, int kDimensions>
struct TensorView {
  GlobalView<T> flat;
  lockstep::TensorBox box;
};
template <class T, int kDimensions, class P>
using Tensor = TensorView<T, kDimensions>;

template <class T>
BoxedView<T> boxes(GlobalView<T> view, int rows, int cols, int box_rows) {
  static_assert(sizeof(T) <= 4);
  return {view, rows, cols, box_rows};
}
template <class T, int kDimensions>
TensorView<T, kDimensions> tensor(GlobalView<T> view, Shape<kDimensions> extents, Shape<kDimensions> box,
                                  BoxSwizzle swizzle) {
  static_assert(sizeof(T) <= 4);
  return {view, lockstep::tensor_box(extents.at, box.at, int(sizeof(T)), swizzle)};
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

namespace detail {

// The events of a box that stands at byte `first` of a shared array.
inline void record_box(const At& at, const lockstep::TensorBox& t, const lockstep::BoxPlace& place,
                       std::uint16_t view, const simt::SharedArray& array, std::int64_t first, Kind outside,
                       Kind in_shared, unsigned blocks, Reduction how) {
  if (!simt::machine->options().trace) return;
  lockstep::for_each_events(t, place, [&](const lockstep::BoxEvents& e) {
    if (e.rows_inside > 0)
      record_unit(at, std::uint32_t(e.source), lockstep::said_outside(e), view, e.units_inside, outside);
    record_unit(at, std::uint32_t(first + e.target), lockstep::said_in_shared(e, blocks), array.id,
                lockstep::shared_width(t.swizzle, how), in_shared);
  });
}

template <class T, class U>
void copy(const SharedRef<T>& target, const GlobalView<U>& from, const lockstep::TensorBox& t,
          const lockstep::BoxPlace& place, const BarrierRef& barrier, unsigned blocks) {
  simt::AsyncUnits& units = simt::machine->async();
  const simt::Where at = where(target.at);
  if (!units.possible(t, place, false, from.data, from.size * std::int64_t(sizeof(U)), target.array,
                      target.offset, at))
    return;
  record_box(target.at, t, place, from.view, *target.array, target.offset, Kind::box_source, Kind::box_target,
             blocks, Reduction::none);
  simt::Box box{target.array, from.view, {}};
  const auto* const data = reinterpret_cast<const std::uint8_t*>(from.data);
  lockstep::for_each_unit(t, place, [&](const lockstep::BoxUnit& u) {
    box.pieces.push_back({units.swizzled(*target.array, target.offset + u.target, t.swizzle),
                          u.bytes_inside > 0 ? data + u.source : nullptr, std::uint32_t(u.bytes_inside)});
  });
  if (blocks == 0)
    units.copy(std::move(box), barrier.name, at);
  else
    units.copy_to(blocks, box, barrier.name, at);
}

// One element of a reduction. Floats are added as atomicAdd() adds them.
template <Reduction kHow, class T>
T reduced(T there, T brought) {
  using Number = std::conditional_t<std::is_same_v<T, bf16>, nv_bfloat16, T>;
  const auto a = lockstep::bit_cast<Number>(there), b = lockstep::bit_cast<Number>(brought);
  const auto bits = [](Number x) { return lockstep::bit_cast<T>(x); };
  if constexpr (kHow == Reduction::bit_and)
    return there & brought;
  else if constexpr (kHow == Reduction::bit_or)
    return there | brought;
  else if constexpr (kHow == Reduction::bit_xor)
    return there ^ brought;
  else if constexpr (kHow == Reduction::min)
    return bits(b < a ? b : a);
  else if constexpr (kHow == Reduction::max)
    return bits(a < b ? b : a);
  else if constexpr (std::is_integral_v<Number>)
    return T(unsigned(a) + unsigned(b));
  else
    return bits(a + b);
}
template <Reduction kHow, class T>
struct Reduced {
  T brought;
  T operator()(T there) const { return reduced<kHow>(there, brought); }
};
template <Reduction kHow, class T>
void reduce_piece(simt::SetAside* aside, std::uint16_t view, std::uint8_t* target, const std::uint8_t* bytes,
                  std::uint32_t count) {
  for (std::uint32_t byte = 0; byte < count; byte += sizeof(T)) {
    Reduced<kHow, T> change;
    std::memcpy(static_cast<void*>(&change.brought), bytes + byte, sizeof(T));
    T* const to = reinterpret_cast<T*>(target + byte);
    if (aside)
      aside->exchange(view, to, change);
    else
      *to = change(*to);
  }
}
template <Reduction kHow, class T>
constexpr simt::StoredBox::Reduce reduction() {
  if constexpr (kHow == Reduction::none) {
    return nullptr;
  } else {
    static_assert(reduces<T>(kHow), "the copy engine does not do this with such elements");
    return reduce_piece<kHow, T>;
  }
}

template <Reduction kHow, class T>
void send(const GlobalView<T>& to, const lockstep::TensorBox& t, const lockstep::BoxPlace& place,
          const SharedRef<T>& source) {
  simt::AsyncUnits& units = simt::machine->async();
  const simt::Where at = where(source.at);
  if (!units.possible(t, place, true, to.data, to.size * std::int64_t(sizeof(T)), source.array, source.offset,
                      at))
    return;
  record_box(source.at, t, place, to.view, *source.array, source.offset, Kind::store_target,
             Kind::store_source, 0, kHow);
  simt::StoredBox box{source.array, to.view, {}, reduction<kHow, T>()};
  auto* const data = reinterpret_cast<std::uint8_t*>(to.data);
  lockstep::for_each_unit(t, place, [&](const lockstep::BoxUnit& u) {
    box.pieces.push_back({units.swizzled(*source.array, source.offset + u.target, t.swizzle),
                          u.bytes_inside > 0 ? data + u.source : nullptr, std::uint32_t(u.bytes_inside)});
  });
  units.store(std::move(box), at);
}

// Bytes as they stand, in pieces of 16, are a box of rows of 128 bytes. Whether they may go from and to
// there.
template <class T, class U>
bool bulk_possible(const SharedRef<T>& shared, const GlobalRef<U>& global, int bytes, bool store) {
  const std::int64_t byte = global.at.i * std::int64_t(sizeof(U));
  if (!simt::machine->async().aligned_bulk(shared.array, shared.offset, byte, bytes, where(shared.at)))
    return false;
  auto last = global;
  last.at.i += bytes / std::int64_t(sizeof(U)) - 1;
  return global.allowed(store) && last.allowed(store);
}
template <class T, class U>
void record_bulk(const At& at, const SharedRef<T>& shared, const GlobalRef<U>& global, int bytes,
                 Kind outside, Kind in_shared, Reduction how) {
  record_unit(at, std::uint32_t(global.at.i * std::int64_t(sizeof(U))), 8u << 12 | unsigned(bytes / 128),
              global.view, 8, outside);
  record_unit(at, std::uint32_t(shared.offset), unsigned(bytes / 128), shared.array->id,
              lockstep::shared_width(BoxSwizzle::none, how), in_shared);
}
template <Reduction kHow, class T>
void send_bulk(const GlobalRef<T>& target, const SharedRef<T>& source, int bytes) {
  if (!bulk_possible(source, target, bytes, true)) return;
  record_bulk(source.at, source, target, bytes, Kind::store_target, Kind::store_source, kHow);
  simt::StoredBox box{source.array, target.view, {}, reduction<kHow, T>()};
  auto* const data = reinterpret_cast<std::uint8_t*>(target.data + target.at.i);
  for (int byte = 0; byte < bytes; byte += 16) box.pieces.push_back({source.offset + byte, data + byte, 16});
  simt::machine->async().store(std::move(box), where(source.at));
}

}  // namespace detail

template <class T, class U>
void copy_box(const detail::SharedRef<T>& target, const BoxedView<U>& from, int row, int col,
              const detail::BarrierRef& barrier, unsigned blocks = 0) {
  detail::copy(target, from.flat, from.tensor(), {{col, row}}, barrier, blocks);
}
template <class T, class U, int kDimensions>
void copy_tensor(const detail::SharedRef<T>& target, const TensorView<U, kDimensions>& from,
                 const int (&place)[kDimensions], const detail::BarrierRef& barrier, unsigned blocks = 0) {
  detail::copy(target, from.flat, from.box, place, barrier, blocks);
}
template <class T, class U>
void copy_bulk(const detail::SharedRef<T>& target, const detail::GlobalRef<U>& source, int bytes,
               const detail::BarrierRef& barrier) {
  using namespace lockstep;
  if (!detail::bulk_possible(target, source, bytes, false)) return;
  detail::record_bulk(target.at, target, source, bytes, Kind::box_source, Kind::box_target, Reduction::none);
  simt::Box box{target.array, source.view, {}};
  const auto* data = reinterpret_cast<const std::uint8_t*>(source.data + source.at.i);
  for (int byte = 0; byte < bytes; byte += 16) box.pieces.push_back({target.offset + byte, data + byte});
  simt::machine->async().copy(std::move(box), barrier.name, detail::where(target.at));
}

// The box of box_rows x 128 bytes that stands at `source`, to the matrix.
template <Reduction kHow, class T>
void reduce_box(const BoxedView<T>& to, int row, int col, const detail::SharedRef<T>& source) {
  detail::send<kHow>(to.flat, to.tensor(), {{col, row}}, source);
}
template <class T>
void store_box(const BoxedView<T>& to, int row, int col, const detail::SharedRef<T>& source) {
  reduce_box<Reduction::none>(to, row, col, source);
}
template <Reduction kHow, class T, int kDimensions>
void reduce_tensor(const TensorView<T, kDimensions>& to, const int (&place)[kDimensions],
                   const detail::SharedRef<T>& source) {
  detail::send<kHow>(to.flat, to.box, place, source);
}
template <class T, int kDimensions>
void store_tensor(const TensorView<T, kDimensions>& to, const int (&place)[kDimensions],
                  const detail::SharedRef<T>& source) {
  detail::send<Reduction::none>(to.flat, to.box, place, source);
}
template <Reduction kHow, class T>
void reduce_bulk(const detail::GlobalRef<T>& target, const detail::SharedRef<T>& source, int bytes) {
  detail::send_bulk<kHow>(target, source, bytes);
}
template <class T>
void store_bulk(const detail::GlobalRef<T>& target, const detail::SharedRef<T>& source, int bytes) {
  detail::send_bulk<Reduction::none>(target, source, bytes);
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

namespace detail {
template <class T>
const simt::ElementFormat* format() {
  static constexpr simt::ElementFormat kBf16{"bf16", 2, widened_bf16,
                                             widen_unit<std::uint16_t, widened_bf16>},
      kHalf{"fp16", 2, widened_half, widen_unit<std::uint16_t, widened_half>},
      kE4m3{"e4m3", 1, widened_e4m3, widen_unit<std::uint8_t, widened_e4m3>},
      kE5m2{"e5m2", 1, widened_e5m2, widen_unit<std::uint8_t, widened_e5m2>};
  static_assert(sizeof(T) <= 2);
  if (std::is_same_v<T, half>) return &kHalf;
  if (std::is_same_v<T, e5m2>) return &kE5m2;
  return sizeof(T) == 2 ? &kBf16 : &kE4m3;
}
}  // namespace detail
template <class T>
lockstep::simt::SharedOperand rows_of(const detail::SharedRef<T>& first) {
  return {first.array, first.offset, 16, 1024, false, detail::format<T>(), detail::where(first.at)};
}
template <class T>
lockstep::simt::SharedOperand columns_of(const detail::SharedRef<T>& first, int next_64_columns) {
  static_assert(sizeof(T) == 2, "bytes are multiplied along k alone");
  return {first.array, first.offset,        next_64_columns,        1024,
          true,        detail::format<T>(), detail::where(first.at)};
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
