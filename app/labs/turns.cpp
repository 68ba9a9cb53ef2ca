#include "turns.hpp"

#include <algorithm>
#include <set>

namespace lockstep {
namespace {

constexpr std::uint32_t kSectorBytes = 32;

bool active(const WarpInstruction& i, int lane) { return i.lanes >> lane & 1; }

}  // namespace

Turns turns_of(const Step& step) {
  Turns turns;
  const WarpInstruction& i = step.instruction;
  if (i.view >= kFirstSharedView) {
    const auto wavefront = wavefront_of_lanes(i.lanes, i.offset, i.width, !reads(i.kind));
    for (int lane = 0; lane < kWarpSize; ++lane)
      if (active(i, lane)) turns.of_lane[std::size_t(lane)] = wavefront[std::size_t(lane)];
    turns.count = std::max(1, step.wavefronts);
    return turns;
  }
  std::set<std::uint32_t> sectors;
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (active(i, lane)) sectors.insert(i.offset[std::size_t(lane)] / kSectorBytes);
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (active(i, lane))
      turns.of_lane[std::size_t(lane)] =
          int(std::distance(sectors.begin(), sectors.find(i.offset[std::size_t(lane)] / kSectorBytes)));
  turns.count = std::max(1, int(sectors.size()));
  return turns;
}

}  // namespace lockstep
