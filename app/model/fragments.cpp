#include "fragments.hpp"

#include <algorithm>
#include <utility>

namespace lockstep {

// The PTX ISA calls lane / 4 the group and lane % 4 the thread in the group.
FragmentSlot slot_of(Fragment f, MatrixIndex e) {
  const int low = e.row >= 8, right = e.col >= 8;
  switch (f) {
    case Fragment::a:
      return {e.row % 8 * 4 + e.col % 8 / 2, low + 2 * right, e.col % 2};
    case Fragment::b:
      return {e.col * 4 + e.row % 8 / 2, low, e.row % 2};
    case Fragment::c:
      break;
  }
  return {e.row % 8 * 4 + e.col / 2, 2 * low + e.col % 2, 0};
}

MatrixIndex element_in(Fragment f, FragmentSlot s) {
  const int group = s.lane / 4, thread = s.lane % 4;
  switch (f) {
    case Fragment::a:
      return {group + 8 * (s.reg % 2), thread * 2 + s.half + 8 * (s.reg / 2)};
    case Fragment::b:
      return {thread * 2 + s.half + 8 * s.reg, group};
    case Fragment::c:
      break;
  }
  return {group + 8 * (s.reg / 2), thread * 2 + s.reg % 2};
}

std::string register_name(Fragment f, int reg) {
  return (f == Fragment::a ? "a" : f == Fragment::b ? "b" : "c") + std::to_string(reg);
}

std::optional<LdmatrixRow> row_of_address_lane(int lane, int matrices) {
  if (lane < 0 || lane >= matrices * kLdmatrixRows) return {};
  return LdmatrixRow{lane / kLdmatrixRows, lane % kLdmatrixRows};
}

FragmentSlot loaded_slot(int matrix, MatrixIndex e, bool transposed) {
  if (transposed) std::swap(e.row, e.col);
  return {e.row * 4 + e.col / 2, matrix, e.col % 2};
}

MatrixIndex loaded_element(FragmentSlot s, bool transposed) {
  MatrixIndex e{s.lane / 4, s.lane % 4 * 2 + s.half};
  if (transposed) std::swap(e.row, e.col);
  return e;
}

int ldmatrix_wavefronts(std::span<const std::uint32_t, kLdmatrixRows> row_bytes) {
  std::array<int, 8> taken{};
  for (auto row = row_bytes.begin(); row != row_bytes.end(); ++row)
    if (std::find(row_bytes.begin(), row, *row) == row) ++taken[std::size_t(bank_unit(*row))];
  return *std::max_element(taken.begin(), taken.end());
}

}  // namespace lockstep
