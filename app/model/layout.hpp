// A layout of a tile of 32 x 32 elements in shared memory, typed as a formula: where element (row, col)
// stands, in elements.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fold.hpp"
#include "formula.hpp"

namespace lockstep {

constexpr int kLayoutRows = 32, kLayoutCols = 32;
constexpr std::int64_t kLayoutBytes = 32 << 10;  // of the array that holds it

struct Layout {
  std::vector<std::int32_t> place;  // [row * kLayoutCols + col], elements
  std::int32_t places = 0;          // the largest place + 1
  // The first two elements that stand at the same place; -1 where none do.
  int first_twin = -1, second_twin = -1;
  std::int32_t at(int row, int col) const { return place[std::size_t(row * kLayoutCols + col)]; }
};

// The names in the formula are row, col, pitch, mask and shift. Places from 0 to max_places - 1 are allowed;
// the error says which element stands where else.
Result<Layout> evaluate_layout(std::string_view formula, std::int64_t pitch, std::int64_t mask,
                               std::int64_t shift, std::int64_t max_places);

// Wavefronts of a full warp down each column and along each row.
struct LayoutReport {
  std::array<int, kLayoutCols> column{};
  std::array<int, kLayoutRows> row{};
  int fewest = 1;
};
LayoutReport report_of(const Layout& layout, int element_bytes, bool store);

// Bytes that the 32 lanes of a warp touch when they go down a column (lane = row) or along a row (lane =
// col).
std::array<std::uint32_t, kWarpSize> column_offsets(const Layout& layout, int col, int element_bytes);
std::array<std::uint32_t, kWarpSize> row_offsets(const Layout& layout, int row, int element_bytes);

}  // namespace lockstep
