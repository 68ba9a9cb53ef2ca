#include "launch_fold.hpp"

#include <algorithm>

namespace lockstep::reader {
namespace {

constexpr std::uint64_t kMostFollowed = 400'000;  // events of the followed block that are kept

}  // namespace

LaunchFold::LaunchFold(LaunchRecord& record, std::int64_t followed, CacheModel& l2, const Gpu& gpu)
    : record_(record), grid_(record.launch, followed, l2, 0, kMostFollowed, gpu), fold_(grid_) {}

void LaunchFold::add(std::int64_t block, const simt::Machine& machine) {
  fold_.fold(block, machine.streams(), machine.copies(), machine.shared_bytes(), folded_);
  add_costs(machine.streams());
  grid_.add(folded_);
  ++record_.traced_blocks;
}

// What each line cost, as BlockFold counts it.
void LaunchFold::add_costs(std::span<const std::span<const Access>> threads) {
  for (std::uint32_t warp = 0; warp * kWarpSize < threads.size(); ++warp) {
    LaneStreams lanes;
    for (std::size_t lane = 0; lane < kWarpSize && warp * kWarpSize + lane < threads.size(); ++lane)
      lanes[lane] = threads[warp * kWarpSize + lane];
    warps_.fold(warp, lanes, [&](const WarpInstruction& i) {
      if (!moves_data(i.kind)) return;
      sectors_.add(i);
      SiteCost& cost = record_.costs[i.line];
      cost.cost += cost_of(i);
      int& width = i.view < kFirstSharedView ? cost.global_width : cost.shared_width;
      width = std::max<int>(width, i.width);
    });
  }
}

void LaunchFold::finish(const simt::Machine& machine) {
  record_.counts = grid_.counts(), record_.accesses = grid_.accesses();
  record_.compulsory_load_sectors = sectors_.loaded(), record_.compulsory_store_sectors = sectors_.stored();
  record_.touches = grid_.take_touches();
  record_.shared_bytes = machine.shared_bytes();
  for (const ViewInfo& view : machine.shared_views().described()) record_.launch.views.push_back(view);
}

}  // namespace lockstep::reader
