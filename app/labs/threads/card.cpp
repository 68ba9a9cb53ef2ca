// The card: elements around this step's, in the shades of their blocks and warps.
#include <algorithm>
#include <array>

#include "app/draw/block_plane.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

enum Shade : std::uint8_t { kNothing, kBeyond, kOther, kOtherOdd, kBlock, kBlockOdd, kNow };

std::array<Color, 256> shades(const Theme& theme) {
  const PlaneColors c = plane_colors(theme);
  std::array<Color, 256> table;
  table.fill(theme.panel.with_alpha(0));
  table[kBeyond] = theme.soft;
  table[kOther] = c.other, table[kOtherOdd] = c.other_odd;
  table[kBlock] = c.block, table[kBlockOdd] = c.block_odd, table[kNow] = c.now;
  return table;
}

Shade shade_of(const ThreadsScene& scene, const Extent3& e, const std::vector<std::int64_t>& now) {
  const IndexMap& m = scene.map;
  const auto thread = m.thread_of(e);
  if (!thread) return kNothing;
  if (!m.problem.holds(e)) return kBeyond;
  if (std::binary_search(now.begin(), now.end(), m.problem.linear(e))) return kNow;
  const std::int64_t block = m.grid.linear(thread->block);
  if (block == scene.followed_block()) return m.warp_of(*thread) % 2 ? kBlockOdd : kBlock;
  return block % 2 ? kOtherOdd : kOther;
}

// The first of `shown` so that `wanted` stands in their middle, as far as that goes.
std::int64_t first_around(std::int64_t wanted, std::int64_t shown, std::int64_t all) {
  return std::clamp<std::int64_t>(wanted - shown / 2, 0, std::max<std::int64_t>(0, all - shown));
}

}  // namespace

void ThreadsScene::card(Canvas& canvas, const StageInput& in) const {
  if (dimensions == 0) return;
  constexpr float kCell = 9;
  const auto now = elements_of_step(in.view.step);
  const Extent3 at = map.problem.at(now.empty() ? 0 : now.front()), all = map.threads();
  const bool line = dimensions == 1;  // a row for each warp
  const std::int64_t wide = line ? kLanes : all.x, high = line ? (all.x + kLanes - 1) / kLanes : all.y;
  const std::int64_t cols =
                         line ? kLanes : std::clamp<std::int64_t>(std::int64_t(in.area.w / kCell), 1, wide),
                     rows = std::clamp<std::int64_t>(std::int64_t(in.area.h / kCell), 1, high);
  const std::int64_t col0 = line ? 0 : first_around(at.x, cols, wide),
                     row0 = first_around(line ? at.x / kLanes : at.y, rows, high);
  std::vector<std::uint8_t> values;
  for (std::int64_t row = row0; row < row0 + rows; ++row)
    for (std::int64_t col = col0; col < col0 + cols; ++col)
      values.push_back(
          shade_of(*this, line ? Extent3{row * kLanes + col, 0, 0} : Extent3{col, row, at.z}, now));
  const auto colors = shades(in.theme);
  canvas.grid("elements", in.area, int(cols), int(rows), values, colors, 1.5f);
}

}  // namespace lockstep
