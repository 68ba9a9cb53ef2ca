#include "block_order.hpp"

#include <algorithm>

namespace lockstep {
namespace {

void include(Region& region, std::int64_t row, std::int64_t col) {
  if (region.empty()) {
    region = {row, col, 1, 1};
    return;
  }
  const std::int64_t bottom = std::max(region.row + region.rows, row + 1),
                     right = std::max(region.col + region.cols, col + 1);
  region.row = std::min(region.row, row), region.col = std::min(region.col, col);
  region.rows = bottom - region.row, region.cols = right - region.col;
}

}  // namespace

std::vector<Region> parts_of_next_blocks(const Run& run, const ViewInfo& view, int most) {
  std::vector<Region> parts(std::size_t(std::max(0, most)));
  if (run.launches.empty() || view.shape.size() != 2 || view.shape[1] == 0) return {};
  const std::int64_t first = run.launches[0].trace.block + 1, cols = std::int64_t(view.shape[1]);
  for (const Touch& touch : run.touches) {
    if (touch.view != view.id) continue;
    const auto nobody = [](std::uint32_t block) { return block == Touch::kNobody; };
    const bool written = !std::all_of(touch.writer_block.begin(), touch.writer_block.end(), nobody);
    const auto& block = written ? touch.writer_block : touch.reader_block;
    for (std::size_t e = 0; e < block.size(); ++e) {
      const std::int64_t after = nobody(block[e]) ? -1 : std::int64_t(block[e]) - first;
      if (after < 0 || after >= std::int64_t(parts.size())) continue;
      include(parts[std::size_t(after)], std::int64_t(e) / cols, std::int64_t(e) % cols);
    }
  }
  std::erase_if(parts, [](const Region& part) { return part.empty(); });
  return parts;
}

}  // namespace lockstep
