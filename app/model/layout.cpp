#include "layout.hpp"

#include <algorithm>

namespace lockstep {
namespace {

constexpr std::string_view kNames[] = {"row", "col", "pitch", "mask", "shift"};

void find_twins(Layout& layout) {
  std::vector<int> owner(std::size_t(layout.places), -1);
  for (int e = 0; e < int(layout.place.size()); ++e) {
    int& first = owner[std::size_t(layout.place[std::size_t(e)])];
    if (first >= 0) {
      layout.first_twin = first, layout.second_twin = e;
      return;
    }
    first = e;
  }
}

}  // namespace

Result<Layout> evaluate_layout(std::string_view formula, std::int64_t pitch, std::int64_t mask,
                               std::int64_t shift, std::int64_t max_places) {
  const auto parsed = Formula::parse(formula, kNames);
  if (!parsed) return parsed.error();
  Layout layout;
  for (std::int64_t row = 0; row < kLayoutRows; ++row)
    for (std::int64_t col = 0; col < kLayoutCols; ++col) {
      const auto place = parsed->evaluate(std::array{row, col, pitch, mask, shift});
      if (!place) return place.error();
      if (*place < 0 || *place >= max_places)
        return bad_input("the formula '{0}' puts element ({1}, {2}) at {3}: places 0 to {4} are possible",
                         {std::string(formula), std::to_string(row), std::to_string(col),
                          std::to_string(*place), std::to_string(max_places - 1)});
      layout.place.push_back(std::int32_t(*place));
      layout.places = std::max(layout.places, std::int32_t(*place + 1));
    }
  find_twins(layout);
  return layout;
}

LayoutReport report_of(const Layout& layout, int element_bytes, bool store) {
  LayoutReport report;
  report.fewest = fewest_wavefronts(~0u, element_bytes, store);
  const auto wavefronts = [&](const auto& offsets) {
    return shared_wavefronts(~0u, offsets, element_bytes, store);
  };
  for (std::size_t i = 0; i < report.column.size(); ++i) {
    report.column[i] = wavefronts(column_offsets(layout, int(i), element_bytes));
    report.row[i] = wavefronts(row_offsets(layout, int(i), element_bytes));
  }
  return report;
}

std::array<std::uint32_t, kWarpSize> column_offsets(const Layout& layout, int col, int element_bytes) {
  std::array<std::uint32_t, kWarpSize> offset;
  for (int lane = 0; lane < kWarpSize; ++lane)
    offset[std::size_t(lane)] = std::uint32_t(layout.at(lane, col) * element_bytes);
  return offset;
}

std::array<std::uint32_t, kWarpSize> row_offsets(const Layout& layout, int row, int element_bytes) {
  std::array<std::uint32_t, kWarpSize> offset;
  for (int lane = 0; lane < kWarpSize; ++lane)
    offset[std::size_t(lane)] = std::uint32_t(layout.at(row, lane) * element_bytes);
  return offset;
}

}  // namespace lockstep
