// Boxes of a tensor of one to five dimensions, as the copy engine goes through them (CUDA Driver API,
// cuTensorMapEncodeTiled; PTX ISA, "Tensors" and "Swizzling Modes"). Elements along dimension 0 are
// neighbours in memory; the others lie one behind the other, with no room between. In shared memory a box is
// its rows along dimension 0, one every row_bytes() or, where their units change places, one every span (an
// H200 leaves what is behind a shorter row as it is, and counts no bytes for it).
#pragma once
#include <cstdint>

namespace lockstep {

// Within how many bytes the 16-byte units of a row change places; numbered as events say it (units.hpp).
enum class BoxSwizzle : std::uint8_t { bytes_128 = 0, none = 1, bytes_32 = 2, bytes_64 = 3 };

// 0: none change places.
constexpr int span_bytes(BoxSwizzle swizzle) {
  switch (swizzle) {
    case BoxSwizzle::bytes_128:
      return 128;
    case BoxSwizzle::bytes_64:
      return 64;
    case BoxSwizzle::bytes_32:
      return 32;
    default:
      return 0;
  }
}

// Where the byte stands whose place in shared memory would be `byte`: of its address the bits from 4 on
// change with those from 7 on, as many as the units of the span have.
constexpr std::int64_t swizzled(std::int64_t byte, BoxSwizzle swizzle) {
  const int units = span_bytes(swizzle) / 16;
  return units < 2 ? byte : byte ^ (byte >> 7 & (units - 1)) << 4;
}

// What the engine does where a box goes to global memory: 0 stores it.
enum class Reduction : std::uint8_t { none, add, min, max, bit_and, bit_or, bit_xor };

enum class BoxProblem { none, extent, box, row, too_wide, pitch, between_units, before };

// The element that a box begins with; it may lie outside.
struct BoxPlace {
  int at[5] = {};
  constexpr BoxPlace() = default;
  template <int kDimensions>
  constexpr BoxPlace(const int (&place)[kDimensions]) {
    for (int d = 0; d < kDimensions; ++d) at[d] = place[d];
  }
};

struct TensorBox {
  static constexpr int kMostDimensions = 5, kMostOfBox = 256, kUnitBytes = 16;
  int dimensions = 1, element_bytes = 4;
  int extent[kMostDimensions] = {1, 1, 1, 1, 1};  // elements of the tensor
  int box[kMostDimensions] = {1, 1, 1, 1, 1};     // and of a box of it
  BoxSwizzle swizzle = BoxSwizzle::none;

  constexpr int row_bytes() const { return box[0] * element_bytes; }
  constexpr int rows() const { return box[1] * box[2] * box[3] * box[4]; }
  constexpr int row_pitch() const { return swizzle == BoxSwizzle::none ? row_bytes() : span_bytes(swizzle); }
  constexpr std::int64_t bytes() const { return std::int64_t(row_bytes()) * rows(); }  // that come
  constexpr std::int64_t tensor_bytes() const { return pitch(dimensions); }
  // From an element to the next one along dimension d, in bytes.
  constexpr std::int64_t pitch(int d) const {
    std::int64_t bytes = element_bytes;
    for (int i = 0; i < d; ++i) bytes *= extent[i];
    return bytes;
  }
  // What the driver refuses; and what an H200 does: a box within the units of a row, and one that is stored
  // before the begin of the tensor ("an illegal instruction was encountered").
  constexpr BoxProblem problem(const BoxPlace& place, bool stored) const {
    for (int d = 0; d < dimensions; ++d) {
      if (extent[d] < 1) return BoxProblem::extent;
      if (box[d] < 1 || box[d] > kMostOfBox) return BoxProblem::box;
    }
    if (row_bytes() % kUnitBytes != 0) return BoxProblem::row;
    if (swizzle != BoxSwizzle::none && row_bytes() > span_bytes(swizzle)) return BoxProblem::too_wide;
    if (dimensions > 1 && pitch(1) % kUnitBytes != 0) return BoxProblem::pitch;
    if (std::int64_t{place.at[0]} * element_bytes % kUnitBytes != 0) return BoxProblem::between_units;
    for (int d = 0; d < dimensions; ++d)
      if (stored && place.at[d] < 0) return BoxProblem::before;
    return BoxProblem::none;
  }
};

template <int kDimensions>
constexpr TensorBox tensor_box(const int (&extents)[kDimensions], const int (&box)[kDimensions],
                               int element_bytes, BoxSwizzle swizzle) {
  static_assert(kDimensions >= 1 && kDimensions <= TensorBox::kMostDimensions);
  TensorBox t;
  t.dimensions = kDimensions, t.element_bytes = element_bytes, t.swizzle = swizzle;
  for (int d = 0; d < kDimensions; ++d) t.extent[d] = extents[d], t.box[d] = box[d];
  return t;
}
// A matrix of rows x cols that goes in boxes of box_rows x 128 bytes.
constexpr TensorBox matrix_box(int rows, int cols, int box_rows, int element_bytes) {
  const int extents[] = {cols, rows}, box[] = {128 / element_bytes, box_rows};
  return tensor_box(extents, box, element_bytes, BoxSwizzle::bytes_128);
}

// A row of a box along dimension 0.
struct BoxRow {
  int row = 0;              // of the box
  std::int64_t source = 0;  // byte of the tensor where its first element lies, or would lie
  bool inside = true;       // as far as the other dimensions go
};

template <class F>
constexpr void for_each_row(const TensorBox& t, const BoxPlace& place, F&& see) {
  int i[TensorBox::kMostDimensions] = {};
  for (int row = 0; row < t.rows(); ++row) {
    BoxRow r{row, std::int64_t{place.at[0]} * t.element_bytes, true};
    for (int d = 1; d < t.dimensions; ++d) {
      const std::int64_t at = std::int64_t{place.at[d]} + i[d];
      r.source += at * t.pitch(d), r.inside = r.inside && at >= 0 && at < t.extent[d];
    }
    see(r);
    for (int d = 1; d < t.dimensions; ++d) {
      if (++i[d] < t.box[d]) break;
      i[d] = 0;
    }
  }
}

// 16 bytes of a row, of which the first ones lie inside of the tensor, or none.
struct BoxUnit {
  std::int64_t target = 0;  // byte of the box, before units change places
  std::int64_t source = 0;  // and of the tensor
  int bytes_inside = 0;
};

template <class F>
constexpr void for_each_unit(const TensorBox& t, const BoxPlace& place, F&& see) {
  for_each_row(t, place, [&](const BoxRow& r) {
    for (int byte = 0; byte < t.row_bytes(); byte += TensorBox::kUnitBytes) {
      const std::int64_t begin = std::int64_t{place.at[0]} * t.element_bytes + byte,
                         left = t.pitch(1) - begin;
      BoxUnit u{std::int64_t{r.row} * t.row_pitch() + byte, r.source + byte, 0};
      if (r.inside && begin >= 0 && left > 0)
        u.bytes_inside = left < TensorBox::kUnitBytes ? int(left) : TensorBox::kUnitBytes;
      see(static_cast<const BoxUnit&>(u));
    }
  });
}

// What one pair of events says of a box (units.hpp): rows of up to 128 bytes. Inside of the tensor lie whole
// units of 16 bytes; one that is cut by its end is left out.
struct BoxEvents {
  std::int64_t source = 0, pitch = 0;  // bytes; of the first row inside
  int rows_inside = 0, units_inside = 0;
  std::int64_t target = 0;  // byte of the box
  int rows = 0, units = 0;
};

template <class F>
constexpr void for_each_events(const TensorBox& t, const BoxPlace& place, F&& emit) {
  constexpr int kMostBytes = 128;
  const bool narrow = t.row_bytes() <= kMostBytes;  // then those of dimension 1 are one pair
  const int rows = narrow ? t.box[1] : 1;
  BoxEvents e;
  for_each_row(t, place, [&](const BoxRow& r) {
    for (int byte = 0; byte < t.row_bytes(); byte += kMostBytes) {
      const int bytes = t.row_bytes() - byte < kMostBytes ? t.row_bytes() - byte : kMostBytes;
      if (r.row % rows == 0) {
        e = {0,
             kMostBytes,
             0,
             0,
             std::int64_t{r.row} * t.row_pitch() + byte,
             rows,
             bytes / TensorBox::kUnitBytes};
        if (narrow && t.dimensions > 1) e.pitch = t.pitch(1);
      }
      const std::int64_t first = std::int64_t{place.at[0]} * t.element_bytes + byte, behind = first + bytes,
                         begin = first > 0 ? first : 0, end = behind < t.pitch(1) ? behind : t.pitch(1);
      const int units = end > begin ? int((end - begin) / TensorBox::kUnitBytes) : 0;
      if (r.inside && units > 0) {
        if (e.rows_inside++ == 0) e.source = r.source + byte + (begin - first);
        e.units_inside = units;
      }
      if (r.row % rows == rows - 1) emit(static_cast<const BoxEvents&>(e));
    }
  });
}

// The one pair of a box of a matrix: what for_each_events() gives of matrix_box(), without its loops, which
// traced kernels that keep many sums in registers have no room for.
constexpr BoxEvents matrix_events(int rows, int cols, int box_rows, int element_bytes, int row, int col) {
  const auto least = [](int a, int b) { return a < b ? a : b; };
  const auto most = [](int a, int b) { return a < b ? b : a; };
  const int top = most(row, 0), left = most(col, 0), box_cols = 128 / element_bytes;
  const int units = most(least(col + box_cols, cols) - left, 0) * element_bytes / TensorBox::kUnitBytes;
  const int inside = units > 0 ? most(least(row + box_rows, rows) - top, 0) : 0;
  BoxEvents e{0, std::int64_t{cols} * element_bytes, inside, 0, 0, box_rows, 128 / TensorBox::kUnitBytes};
  if (inside > 0) e.source = (std::int64_t{top} * cols + left) * element_bytes, e.units_inside = units;
  return e;
}

}  // namespace lockstep
