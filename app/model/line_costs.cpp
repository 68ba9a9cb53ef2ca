#include "line_costs.hpp"

#include <algorithm>
#include <bit>

#include "fold.hpp"

namespace lockstep {
namespace {

// Neighbouring elements from the start of a sector on.
int fewest_sectors(const WarpInstruction& i) { return (std::popcount(i.lanes) * i.width + 31) / 32; }

}  // namespace

LineCost cost_of(const WarpInstruction& i) {
  LineCost cost;
  cost.times = i.kind != Kind::copy_target;  // it came with its copy_issue
  if (is_unit_access(i.kind)) {              // one word of the kernel, many bytes
    cost.times = i.visit % kPiecesOfUnit == 0 && i.kind != Kind::box_source && i.kind != Kind::product_a &&
                 i.kind != Kind::store_target;
    if (i.kind == Kind::box_source || i.kind == Kind::store_target)
      cost.sectors = global_sectors(i.lanes, i.offset, i.width);
    return cost;
  }
  if (i.view < kFirstSharedView || i.kind == Kind::load_cluster) {
    cost.sectors =
        i.kind == Kind::load_cluster ? global_sectors(i.lanes, i.offset, i.width) : requested_sectors(i);
    cost.sectors_above = std::max<std::int64_t>(0, cost.sectors - fewest_sectors(i));
  } else if (!is_atomic(i.kind)) {
    const bool store = !reads(i.kind);
    cost.wavefronts = shared_wavefronts(i.lanes, i.offset, i.width, store);
    cost.wavefronts_above =
        std::max<std::int64_t>(0, cost.wavefronts - fewest_wavefronts(i.lanes, i.width, store));
  }
  return cost;
}

namespace {

void add_block(LineCosts& costs, const BlockTrace& trace) {
  const std::size_t threads = trace.begin.empty() ? 0 : trace.begin.size() - 1;
  for (std::uint32_t warp = 0; warp * kWarpSize < threads; ++warp)
    for (const WarpInstruction& i : warp_instructions(trace, warp))
      if (moves_data(i.kind)) costs.files[i.file][i.line] += cost_of(i);
}

}  // namespace

LineCost& LineCost::operator+=(const LineCost& more) {
  times += more.times, sectors += more.sectors, wavefronts += more.wavefronts;
  sectors_above += more.sectors_above, wavefronts_above += more.wavefronts_above;
  return *this;
}

const std::map<int, LineCost>& LineCosts::of(std::uint16_t file) const {
  static const std::map<int, LineCost> none;
  const auto found = files.find(file);
  return found == files.end() ? none : found->second;
}

LineCosts line_costs(const std::vector<Launch>& launches) {
  LineCosts costs;
  for (const Launch& launch : launches) {
    if (launch.trace.events.empty()) continue;
    if (costs.launches++ == 0) costs.first_launch = int(&launch - launches.data());
    costs.complete &= launch.trace.dropped == 0;
    add_block(costs, launch.trace);
  }
  return costs;
}

}  // namespace lockstep
