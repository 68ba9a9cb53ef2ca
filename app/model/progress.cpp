#include "progress.hpp"

#include <algorithm>
#include <bit>

namespace lockstep {
namespace {

template <class F>
void for_each_lane(const WarpInstruction& i, F&& f) {
  for (std::uint32_t rest = i.lanes; rest; rest &= rest - 1) f(std::countr_zero(rest));
}

void add(Traffic& t, const Step& step) {
  const WarpInstruction& i = step.instruction;
  if (step.barrier || !moves_data(i.kind)) return;
  const std::int64_t lane_bytes = std::int64_t(std::popcount(i.lanes)) * i.width;
  const bool store = !reads(i.kind);
  if (i.view < kFirstSharedView) {
    GlobalTraffic& g = store ? t.store : t.load;
    ++g.instructions, g.sectors += step.sectors, g.lane_bytes += lane_bytes,
        g.hbm_sectors += step.hbm_sectors;
  } else {
    SharedTraffic& s = store ? t.shared_store : t.shared_load;
    ++s.instructions, s.wavefronts += step.wavefronts, s.lane_bytes += lane_bytes;
    s.wanted += std::min(step.wavefronts, fewest_wavefronts(i.lanes, i.width, store));
  }
}

std::int64_t columns_of(const ViewInfo& view) {
  if (view.pitch) return view.pitch;
  return view.shape.size() > 1 ? std::int64_t(view.shape.back())
         : view.shape.empty()  ? 1
                               : std::int64_t(view.shape[0]);
}

}  // namespace

Traffic traffic_of(const Step& step) {
  Traffic t;
  add(t, step);
  return t;
}

Traffic traffic_until(const StepAxis& axis, int step) {
  Traffic t;
  for (int i = 0; i <= step && i < int(axis.steps.size()); ++i) add(t, axis.steps[std::size_t(i)]);
  return t;
}

Region region_touched(const StepAxis& axis, int launch, const ViewInfo& view) {
  const std::int64_t cols = columns_of(view);
  std::int64_t top = INT64_MAX, left = INT64_MAX, bottom = -1, right = -1;
  for (const Step& step : axis.steps) {
    const WarpInstruction& i = step.instruction;
    if (step.barrier || step.launch != launch || i.view != view.id) continue;
    for_each_lane(i, [&](int lane) {
      const std::int64_t first = i.offset[lane] / view.element_bytes;
      const std::int64_t last = (i.offset[lane] + i.width - 1) / view.element_bytes;
      top = std::min(top, first / cols), bottom = std::max(bottom, last / cols);
      left = std::min(left, first % cols), right = std::max(right, last % cols);
    });
  }
  if (bottom < 0) return {};
  return {top, left, std::min(bottom - top + 1, kMostShown), std::min(right - left + 1, kMostShown)};
}

std::vector<ElementState> elements_until(const StepAxis& axis, int step, const ViewInfo& view,
                                         const Region& region) {
  std::vector<ElementState> state(std::size_t(region.rows * region.cols));
  const std::int64_t cols = columns_of(view);
  for (int s = 0; s <= step && s < int(axis.steps.size()); ++s) {
    const WarpInstruction& i = axis.steps[std::size_t(s)].instruction;
    if (axis.steps[std::size_t(s)].barrier || i.view != view.id) continue;
    for_each_lane(i, [&](int lane) {
      const std::int64_t first = i.offset[lane] / view.element_bytes;
      const std::int64_t last = (i.offset[lane] + i.width - 1) / view.element_bytes;
      for (std::int64_t e = first; e <= last; ++e) {
        const std::int64_t row = e / cols - region.row, col = e % cols - region.col;
        if (row < 0 || col < 0 || row >= region.rows || col >= region.cols) continue;
        ElementState& element = state[std::size_t(row * region.cols + col)];
        ++(reads(i.kind) ? element.reads : element.writes);
        if (s == step) element.now = reads(i.kind) ? ElementState::Now::reads : ElementState::Now::writes;
      }
    });
  }
  return state;
}

namespace {

// First or last step that touches the element in the wanted direction.
Toucher find_toucher(const StepAxis& axis, std::uint16_t view, std::uint32_t bytes, std::uint64_t element,
                     bool write) {
  Toucher found;
  for (int s = 0; s < int(axis.steps.size()); ++s) {
    const WarpInstruction& i = axis.steps[std::size_t(s)].instruction;
    if (axis.steps[std::size_t(s)].barrier || i.view != view || reads(i.kind) == write) continue;
    for_each_lane(i, [&](int lane) {
      const bool holds =
          i.offset[lane] / bytes <= element && element <= (i.offset[lane] + i.width - 1) / bytes;
      if (holds) found = {s, int(i.warp) * kWarpSize + lane};
    });
    if (!write && found.step >= 0) return found;
  }
  return found;
}

}  // namespace

Toucher writer_of(const StepAxis& axis, std::uint16_t view, std::uint32_t element_bytes,
                  std::uint64_t element) {
  return find_toucher(axis, view, element_bytes, element, true);
}
Toucher reader_of(const StepAxis& axis, std::uint16_t view, std::uint32_t element_bytes,
                  std::uint64_t element) {
  return find_toucher(axis, view, element_bytes, element, false);
}

}  // namespace lockstep
