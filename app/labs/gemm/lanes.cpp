// While a step is taken the block's warps have their turns one behind the other, and in each its lanes: a
// convention of the picture, for within a step the order is not time.
#include <algorithm>

#include "picture.hpp"

namespace lockstep {
namespace {

// Of the block's warps, by their numbers, how many have had their turn; 2.5: the third one is halfway.
float turns_done(const GemmPicture& shown) {
  const std::int64_t warps = (shown.scene.launch->threads() + kWarpSize - 1) / kWarpSize;
  return std::clamp(shown.in.motion, 0.f, 1.f) * float(warps);
}

// Elements of A, B or C that a lane of a global access reaches; of a B that stands by columns they lie below
// each other.
ProductLane reached_by(const WarpInstruction& i, int lane, const ViewInfo& view, bool by_columns) {
  const std::uint32_t element = i.offset[std::size_t(lane)] / std::uint32_t(view.element_bytes);
  const auto cols = std::uint32_t(view.shape[1]);
  const std::int64_t count = std::max<std::int64_t>(1, std::int64_t(i.width) / view.element_bytes);
  const Span across{element % cols, count}, down{element / cols, 1};
  return by_columns ? ProductLane{int(i.view), across, down} : ProductLane{int(i.view), down, across};
}

}  // namespace

float part_of_turn(const GemmPicture& shown, std::int64_t warp) {
  return std::clamp(turns_done(shown) - float(warp), 0.f, 1.f);
}

std::optional<std::int64_t> warp_at_its_turn(const GemmPicture& shown) {
  if (shown.in.motion >= 1) return {};
  return std::int64_t(turns_done(shown));
}

std::vector<ProductLane> lanes_at_their_turn(const GemmPicture& shown) {
  std::vector<ProductLane> lanes;
  if (!warp_at_its_turn(shown)) return lanes;
  const std::int64_t warp = *warp_at_its_turn(shown);
  const int reached = int(part_of_turn(shown, warp) * kWarpSize);
  const ViewInfo* const views[] = {shown.scene.a, shown.scene.b, shown.scene.c};
  for (const Step& part : shown.scene.steps.parts_of(shown.step())) {
    const WarpInstruction& i = part.instruction;
    const bool global = !part.barrier && i.view < std::size(views) && i.kind != Kind::copy_target;
    if (!global || std::int64_t(i.warp) != warp) continue;
    for (int lane = 0; lane <= std::min(reached, kWarpSize - 1); ++lane)
      if (i.lanes >> lane & 1)
        lanes.push_back(reached_by(i, lane, *views[i.view], i.view == 1 && shown.scene.columns_of_b));
  }
  return lanes;
}

}  // namespace lockstep
