// What the copy engine and the tensor cores of compute capability 9.0 are told to do, as events, and what
// they touch by it, as warp instructions of 16 bytes per lane (PTX ISA, "cp.async.bulk.tensor", "wgmma"; the
// operands of products with 128-byte swizzle). Places in shared memory are offsets in an array that begins at
// a multiple of 1024.
//
// A box is pairs of events in a row of one thread, one pair where it is a matrix of rows of up to 128 bytes,
// else one of each such part (tensor_box.hpp, BoxEvents):
//   box_source  view, offset of the first byte; mask = pitch / 16 << 12 | rows inside; width = units of 16
//               bytes inside of a row. Left out where nothing lies inside.
//   box_target  array, offset; mask = rows | units of 16 bytes in each, modulo 8, << 10 | blocks of the
//   cluster
//               that get it, a bit each, << 16 (none: its own block alone); width = BoxSwizzle, whose span is
//               the pitch of the rows, if it has one (cp.async.bulk has none; its bytes are rows of 128 with
//               a pitch of 128)
// A box that is stored is such pairs as well:
//   store_target  as box_source: where it goes in global memory; left out where nothing lies inside
//   store_source  array, offset; mask as that of box_target; width = BoxSwizzle | Reduction << 2
// An arrival at a barrier of another block of the cluster has the width kFarBarrier + that block's rank.
// A product is up to two events of each thread, those of a warp alike:
//   product_a   array, offset of the operand: 64 rows, k going along them; left out where it is in registers
//   product_b   array, offset; width = columns / 8; mask = by columns | bytes from 64 columns to the next <<
//   1
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "tensor_box.hpp"
#include "warp_instruction.hpp"

namespace lockstep {

constexpr std::uint32_t kBoxRowBytes = 128;
constexpr int kFarBarrier = 16;
// What the events of a box say in their masks, and the one in shared memory as its width.
constexpr std::uint32_t said_outside(const BoxEvents& e) {
  return std::uint32_t(e.pitch / 16) << 12 | std::uint32_t(e.rows_inside);
}
constexpr std::uint32_t said_in_shared(const BoxEvents& e, unsigned blocks = 0) {
  return std::uint32_t(e.rows) | (std::uint32_t(e.units) & 7) << 10 | blocks << 16;
}
constexpr int shared_width(BoxSwizzle swizzle, Reduction how = Reduction::none) {
  return int(swizzle) | int(how) << 2;
}
constexpr BoxSwizzle swizzle_of(std::uint8_t width) { return BoxSwizzle(width & 3); }
constexpr Reduction reduction_of(std::uint8_t width) { return Reduction(width >> 2); }

// How many blocks get a box.
constexpr int receivers(std::uint32_t mask_of_target) {
  int count = 0;
  for (std::uint32_t blocks = mask_of_target >> 16; blocks; blocks &= blocks - 1) ++count;
  return count == 0 ? 1 : count;
}
// A unit access becomes at most so many instructions: visit = its own visit * kPiecesOfUnit + piece.
constexpr std::uint32_t kPiecesOfUnit = 64;

struct BoxPart {
  std::uint32_t pitch = 0, rows_inside = 0, units_inside = 0;
};
constexpr BoxPart box_part(std::uint32_t mask, std::uint8_t width) {
  return {(mask >> 12) * 16, mask & 0xfff, width < 8u ? width : 8u};
}

// Bytes from `offset` on that an event of a unit may touch at most, and where they begin.
struct TouchedBytes {
  std::uint64_t first = 0, bytes = 0;
};
TouchedBytes touched_bytes(const Access& event);

// How many instructions the source of a box becomes; 0 of any other event.
std::size_t pieces_of_source(const Access& event);

// The 16-byte unit that stands at `byte` of an array, where it is with 128-byte swizzle.
constexpr std::uint32_t swizzled_128(std::uint32_t byte) {
  return std::uint32_t(swizzled(byte, BoxSwizzle::bytes_128));
}

// Turns a warp's unit accesses, in their order, into instructions of up to 32 x 16 bytes.
class UnitAccesses {
 public:
  template <class F>
  void add(const WarpInstruction& event, F&& emit) {
    if (event.kind == Kind::box_source || event.kind == Kind::store_target) {
      outside_ = event;
      return;
    }
    const int pieces = begin(event);
    for (int piece = 0; piece < pieces; ++piece) {
      const bool stores = event.kind == Kind::store_source;
      if (event.kind == Kind::box_target && outside_piece(event, piece))
        emit(static_cast<const WarpInstruction&>(out_));
      if (unit_piece(event, piece)) emit(static_cast<const WarpInstruction&>(out_));
      if (stores && outside_piece(event, piece)) emit(static_cast<const WarpInstruction&>(out_));
    }
    outside_.reset();
  }

 private:
  int begin(const WarpInstruction& event) const;  // how many pieces there are
  bool outside_piece(const WarpInstruction& event,
                     int piece);  // of global memory, into out_; false: nothing of it is inside
  bool unit_piece(const WarpInstruction& event, int piece);
  int sectors_of_row(std::uint32_t row, std::uint32_t row_bytes, bool multicast) const;
  void start(const WarpInstruction& event, int piece);
  std::optional<WarpInstruction>
      outside_;  // the half in global memory of the box whose other half comes next
  WarpInstruction out_;
};

}  // namespace lockstep
