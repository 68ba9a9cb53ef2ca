// Register layouts of warp-level matrix products, against spot values read from the PTX ISA's tables.
#include <doctest/doctest.h>

#include <set>
#include <tuple>

#include "app/model/fold.hpp"
#include "app/model/fragments.hpp"

using namespace lockstep;

namespace {

using Slots = std::set<std::tuple<int, int, int>>;

Slots all_slots(Fragment f) {
  const FragmentShape shape = shape_of(f);
  Slots slots;
  for (int row = 0; row < shape.rows; ++row)
    for (int col = 0; col < shape.cols; ++col) {
      const FragmentSlot s = slot_of(f, {row, col});
      CHECK(element_in(f, s) == MatrixIndex{row, col});
      CHECK(s.lane >= 0);
      CHECK(s.lane < 32);
      CHECK(s.reg < shape.registers);
      slots.insert({s.lane, s.reg, s.half});
    }
  return slots;
}

}  // namespace

TEST_CASE("every element has a place of its own, and the places are all that 32 lanes have") {
  CHECK(all_slots(Fragment::a).size() == 16 * 16);  // 32 lanes x 4 registers x 2 halves
  CHECK(all_slots(Fragment::b).size() == 16 * 8);   // 32 x 2 x 2
  CHECK(all_slots(Fragment::c).size() == 16 * 8);   // 32 x 4
}

TEST_CASE("A as the PTX ISA draws it") {
  CHECK(slot_of(Fragment::a, {0, 0}) == FragmentSlot{0, 0, 0});
  CHECK(slot_of(Fragment::a, {1, 2}) == FragmentSlot{5, 0, 0});  // T5: a0
  CHECK(slot_of(Fragment::a, {1, 3}) ==
        FragmentSlot{5, 0, 1});  // T5: a1, the high half of the first register
  CHECK(slot_of(Fragment::a, {8, 0}) == FragmentSlot{0, 1, 0});     // T0: a2
  CHECK(slot_of(Fragment::a, {0, 8}) == FragmentSlot{0, 2, 0});     // T0: a4
  CHECK(slot_of(Fragment::a, {15, 15}) == FragmentSlot{31, 3, 1});  // T31: a7
  CHECK(slot_of(Fragment::a, {7, 6}) == FragmentSlot{31, 0, 0});
}

TEST_CASE("B as the PTX ISA draws it: a lane's pair runs down a column") {
  CHECK(slot_of(Fragment::b, {0, 0}) == FragmentSlot{0, 0, 0});
  CHECK(slot_of(Fragment::b, {1, 0}) == FragmentSlot{0, 0, 1});
  CHECK(slot_of(Fragment::b, {2, 1}) == FragmentSlot{5, 0, 0});
  CHECK(slot_of(Fragment::b, {8, 0}) == FragmentSlot{0, 1, 0});    // T0: b2
  CHECK(slot_of(Fragment::b, {15, 7}) == FragmentSlot{31, 1, 1});  // T31: b3
  CHECK(slot_of(Fragment::b, {6, 7}) == FragmentSlot{31, 0, 0});
}

TEST_CASE("C and D as the PTX ISA draws them") {
  CHECK(slot_of(Fragment::c, {0, 0}) == FragmentSlot{0, 0, 0});
  CHECK(slot_of(Fragment::c, {0, 1}) == FragmentSlot{0, 1, 0});
  CHECK(slot_of(Fragment::c, {1, 2}) == FragmentSlot{5, 0, 0});
  CHECK(slot_of(Fragment::c, {8, 0}) == FragmentSlot{0, 2, 0});
  CHECK(slot_of(Fragment::c, {15, 7}) == FragmentSlot{31, 3, 0});
}

TEST_CASE("what ldmatrix.x4 loads of four 8 x 8 tiles is A's fragment, and .trans of a row-major B is B's") {
  for (int lane = 0; lane < 32; ++lane)
    for (int reg = 0; reg < 4; ++reg)
      for (int half = 0; half < 2; ++half) {
        const MatrixIndex in_tile = loaded_element({lane, reg, half}, false);
        const MatrixIndex a{in_tile.row + 8 * (reg % 2), in_tile.col + 8 * (reg / 2)};
        CHECK(slot_of(Fragment::a, a) == FragmentSlot{lane, reg, half});
        if (reg >= 2) continue;
        const MatrixIndex b = loaded_element({lane, reg, half}, true);
        CHECK(slot_of(Fragment::b, {b.row + 8 * reg, b.col}) == FragmentSlot{lane, reg, half});
      }
}

TEST_CASE(
    "ldmatrix: lanes 8m to 8m + 7 supply the rows of matrix m, and every lane receives of each matrix") {
  CHECK(address_lane(0, 5) == 5);
  CHECK(address_lane(3, 7) == 31);
  CHECK(row_of_address_lane(13, 2) == LdmatrixRow{1, 5});
  CHECK_FALSE(row_of_address_lane(8, 1).has_value());
  CHECK_FALSE(row_of_address_lane(16, 2).has_value());
  CHECK(loaded_slot(0, {1, 2}, false) == FragmentSlot{5, 0, 0});
  CHECK(loaded_slot(2, {7, 7}, false) == FragmentSlot{31, 2, 1});
  CHECK(loaded_slot(0, {2, 1}, true) == FragmentSlot{5, 0, 0});  // .trans: a pair comes from two rows
  for (const bool transposed : {false, true}) {
    Slots slots;
    for (int row = 0; row < 8; ++row)
      for (int col = 0; col < 8; ++col) {
        const FragmentSlot s = loaded_slot(1, {row, col}, transposed);
        CHECK(loaded_element(s, transposed) == MatrixIndex{row, col});
        slots.insert({s.lane, s.reg, s.half});
      }
    CHECK(slots.size() == 64);
  }
}

TEST_CASE(
    "eight rows in eight units are one wavefront; a pitch of 128 bytes is eight, an XOR swizzle mends it") {
  std::array<std::uint32_t, 8> plain{}, padded{}, swizzled{}, same{};
  for (std::uint32_t row = 0; row < 8; ++row) {
    plain[row] = row * 128, padded[row] = row * 144, swizzled[row] = row * 128 + (row ^ 3) * 16;
    same[row] = 64;
  }
  CHECK(ldmatrix_wavefronts(plain) == 8);
  CHECK(ldmatrix_wavefronts(padded) == 1);
  CHECK(ldmatrix_wavefronts(swizzled) == 1);
  CHECK(ldmatrix_wavefronts(same) == 1);                              // one address: a broadcast
  for (std::uint32_t row = 0; row < 8; ++row) plain[row] = row * 64;  // two rows a line
  CHECK(ldmatrix_wavefronts(plain) == 4);
}

TEST_CASE("the wavefronts of a matrix are those of eight lanes that load 16 bytes each") {
  std::uint32_t seed = 1;
  for (int trial = 0; trial < 200; ++trial) {
    std::array<std::uint32_t, 8> rows{};
    std::array<std::uint32_t, kWarpSize> offset{};
    for (std::size_t row = 0; row < 8; ++row) {
      seed = seed * 1664525 + 1013904223;
      rows[row] = (seed >> 8) % 256 * 16, offset[row] = rows[row];
    }
    CHECK(ldmatrix_wavefronts(rows) == shared_wavefronts(0xff, offset, 16, false));
  }
}
