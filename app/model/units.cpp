#include "units.hpp"

#include <algorithm>
#include <bit>

namespace lockstep {
namespace {

constexpr std::uint32_t kUnitBytes = 16, kMostUnitsPerRow = kBoxRowBytes / kUnitBytes, kMostBoxRows = 256;
constexpr std::uint32_t kCoreBytes = 1024;  // 8 rows of 128 bytes
constexpr std::uint32_t kDepth = 16;        // k of one product, of two bytes each
constexpr int kWarpsOfGroup = 4, kRowsOfWarp = 16;

// Of a box where it stands in shared memory.
struct SharedPart {
  std::uint32_t rows = 0, units = 0, pitch = 0;  // units of each row; bytes from row to row
  SharedPart(std::uint32_t mask, std::uint8_t width)
      : rows(std::min(mask & 0x3ff, kMostBoxRows)), units(mask >> 10 & 7) {
    if (units == 0) units = kMostUnitsPerRow;
    const auto span = std::uint32_t(span_bytes(swizzle_of(width)));
    pitch = std::max(span, units * kUnitBytes);
  }
  int pieces() const { return int((rows * units + kWarpSize - 1) / kWarpSize); }
};

struct Second {  // operand
  bool by_columns = false;
  std::uint32_t leading = 0, columns = 0;
};
Second second_operand(std::uint32_t mask, std::uint8_t width) {
  return {(mask & 1) != 0, mask >> 1, std::min<std::uint32_t>(width, 32) * 8};
}

// The byte of unit `u` of the operand, before units change places.
std::uint32_t byte_of(const Second& b, std::uint32_t u) {
  if (b.by_columns) {
    const std::uint32_t k = u % kDepth, column = u / kDepth * 8;
    return column / 64 * b.leading + k / 8 * kCoreBytes + k % 8 * kBoxRowBytes + column % 64 * 2;
  }
  const std::uint32_t column = u / 2;
  return column / 8 * kCoreBytes + column % 8 * kBoxRowBytes + u % 2 * kUnitBytes;
}

}  // namespace

TouchedBytes touched_bytes(const Access& e) {
  const std::uint64_t row = e.offset / kBoxRowBytes * kBoxRowBytes;
  switch (e.kind) {
    case Kind::box_source:
    case Kind::store_target: {
      const BoxPart part = box_part(e.mask, e.width);
      if (part.rows_inside == 0 || part.units_inside == 0) return {e.offset, 0};
      return {e.offset, std::uint64_t{part.rows_inside - 1} * part.pitch +
                            part.units_inside * std::uint64_t{kUnitBytes}};
    }
    case Kind::box_target:
    case Kind::store_source: {
      const SharedPart part(e.mask, e.width);
      return {e.offset, std::uint64_t{part.rows} * part.pitch};
    }
    case Kind::product_a:
      return {row, std::uint64_t{kWarpsOfGroup * kRowsOfWarp} * kBoxRowBytes};
    case Kind::product_b: {
      const Second b = second_operand(e.mask, e.width);
      if (!b.by_columns) return {row, std::uint64_t{b.columns} * kBoxRowBytes};
      return {row,
              std::uint64_t{(b.columns + 63) / 64 - (b.columns > 0)} * b.leading + kDepth * kBoxRowBytes};
    }
    default:
      return {e.offset, e.width};
  }
}

std::size_t pieces_of_source(const Access& e) {
  if (e.kind != Kind::box_source && e.kind != Kind::store_target) return 0;
  const BoxPart part = box_part(e.mask, e.width);
  constexpr std::uint32_t kRowsPerPiece = kWarpSize / kMostUnitsPerRow;  // where they are longest
  return part.units_inside == 0
             ? 0
             : (std::min(part.rows_inside, kMostBoxRows) + kRowsPerPiece - 1) / kRowsPerPiece;
}

int UnitAccesses::begin(const WarpInstruction& event) const {
  switch (event.kind) {
    case Kind::box_target:
    case Kind::store_source:
      return SharedPart(event.gpu_mask, event.width).pieces();
    case Kind::product_a:
      return 1;
    case Kind::product_b:  // read once for the warpgroup
      return event.warp % kWarpsOfGroup == 0
                 ? int(second_operand(event.gpu_mask, event.width).columns * 2 / kWarpSize)
                 : 0;
    default:
      return 0;
  }
}

void UnitAccesses::start(const WarpInstruction& event, int piece) {
  out_ = event;
  out_.gpu_mask = 0, out_.lanes = 0, out_.width = kUnitBytes, out_.copy = {};
  out_.visit = event.visit * kPiecesOfUnit + std::uint32_t(piece);
  out_.asked_by = std::uint8_t(std::countr_zero(event.lanes | 1u << 31));
}

bool UnitAccesses::outside_piece(const WarpInstruction& event, int piece) {
  if (!outside_) return false;
  const std::uint32_t units = SharedPart(event.gpu_mask, event.width).units;
  const BoxPart part = box_part(outside_->gpu_mask, outside_->width);
  const std::uint32_t first = outside_->offset[std::size_t(std::countr_zero(outside_->lanes | 1u << 31))];
  start(*outside_, piece);
  for (std::uint32_t lane = 0; lane < std::uint32_t(kWarpSize); ++lane) {
    const std::uint32_t at = std::uint32_t(piece) * kWarpSize + lane, row = at / units, unit = at % units;
    if (row >= part.rows_inside || unit >= part.units_inside) continue;
    out_.lanes |= 1u << lane;
    out_.offset[lane] = first + row * part.pitch + unit * kUnitBytes;
  }
  return out_.lanes != 0;
}

namespace {

// Of bytes that begin at `first`, sectors of 32.
int spanned(std::uint64_t first, std::uint64_t bytes) {
  return bytes == 0 ? 0 : int((first + bytes - 1) / 32 - first / 32) + 1;
}

// What each block gets of a row that goes to several: from every line of 128 bytes two sectors at least, and
// for the zeros behind the matrix three at least (an H200 says so for all 64 places and lengths in steps of
// 16 bytes, of rows of 128).
int shared_sectors(std::uint64_t first, std::uint64_t inside, std::uint64_t row_bytes) {
  constexpr std::uint64_t kLine = 128;
  constexpr int kLeastOfLine = 2, kLeastZeros = 3;
  int sectors = 0;
  for (std::uint64_t at = first; at < first + inside;) {
    const std::uint64_t end = std::min(first + inside, (at / kLine + 1) * kLine);
    sectors += std::max(kLeastOfLine, spanned(at, end - at));
    at = end;
  }
  const std::uint64_t zeros = row_bytes - inside;
  return zeros == 0 ? sectors : sectors + std::max(kLeastZeros, int((zeros + 31) / 32));
}

}  // namespace

// Sectors that come for a row of a box, by the profiler
// (l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld on an H100, exact in all validated settings): those
// of the part inside, and those of the zeros behind it, each part by itself; four for a row outside.
// Validated for rows of 128 bytes; shorter ones are taken to be alike.
int UnitAccesses::sectors_of_row(std::uint32_t row, std::uint32_t row_bytes, bool multicast) const {
  const BoxPart part = outside_ ? box_part(outside_->gpu_mask, outside_->width) : BoxPart{};
  if (row >= part.rows_inside) return int((row_bytes + 31) / 32);
  const std::uint64_t first = outside_->offset[std::size_t(std::countr_zero(outside_->lanes | 1u << 31))] +
                              std::uint64_t{row} * part.pitch,
                      inside =
                          std::min<std::uint64_t>(part.units_inside * std::uint64_t{kUnitBytes}, row_bytes);
  if (multicast) return shared_sectors(first, inside, row_bytes);
  return spanned(first, inside) + spanned(first + inside, row_bytes - inside);
}

bool UnitAccesses::unit_piece(const WarpInstruction& event, int piece) {
  const std::uint32_t first = event.offset[std::size_t(std::countr_zero(event.lanes | 1u << 31))];
  const SharedPart box(event.gpu_mask, event.width);
  const std::uint32_t own_row = event.warp % kWarpsOfGroup * kRowsOfWarp;
  const Second b = second_operand(event.gpu_mask, event.width);
  const bool of_box = event.kind == Kind::box_target || event.kind == Kind::store_source;
  const BoxSwizzle swizzle = of_box ? swizzle_of(event.width) : BoxSwizzle::bytes_128;
  start(event, piece);
  for (std::uint32_t lane = 0; lane < std::uint32_t(kWarpSize); ++lane) {
    std::uint32_t byte = 0;
    if (of_box) {
      const std::uint32_t at = std::uint32_t(piece) * kWarpSize + lane, row = at / box.units;
      if (row >= box.rows) continue;
      if (at % box.units == 0 && event.kind == Kind::box_target)
        out_.copy.requested = std::uint16_t(
            out_.copy.requested + receivers(event.gpu_mask) *
                                      sectors_of_row(row, box.units * kUnitBytes, event.gpu_mask >> 16 != 0));
      byte = row * box.pitch + at % box.units * kUnitBytes;
    } else if (event.kind == Kind::product_a) {
      byte = (own_row + lane / 2) * kBoxRowBytes + lane % 2 * kUnitBytes;
    } else {
      byte = byte_of(b, std::uint32_t(piece) * kWarpSize + lane);
    }
    out_.lanes |= 1u << lane;
    out_.offset[lane] = std::uint32_t(swizzled(first + byte, swizzle));
  }
  return out_.lanes != 0;
}

}  // namespace lockstep
