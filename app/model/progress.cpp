#include "progress.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace lockstep {
namespace {

template <class F>
void for_each_lane(const WarpInstruction& i, F&& f) {
  for (std::uint32_t rest = i.lanes; rest; rest &= rest - 1) f(std::countr_zero(rest));
}

std::int64_t columns_of(const ViewInfo& view) {
  if (view.pitch) return view.pitch;
  return view.shape.size() > 1 ? std::int64_t(view.shape.back())
         : view.shape.empty()  ? 1
                               : std::int64_t(view.shape[0]);
}

}  // namespace

void add_to(Traffic& t, const Step& step) {
  const WarpInstruction& i = step.instruction;
  if (step.barrier || !moves_data(i.kind) || i.kind == Kind::store_source)
    return;  // that is told by its target
  const std::int64_t lane_bytes = std::int64_t(std::popcount(i.lanes)) * i.width;
  const bool store = !reads(i.kind);
  if (i.kind == Kind::copy_issue || i.kind == Kind::box_source) t.copied_bytes += lane_bytes;
  if (i.kind == Kind::store_target) t.sent_bytes += lane_bytes;
  if (is_product(i.kind)) t.product_bytes += lane_bytes;
  if (i.view < kFirstSharedView) {
    GlobalTraffic& g = store ? t.store : t.load;
    ++g.instructions, g.sectors += step.sectors, g.lane_bytes += lane_bytes;
    g.l2_sectors += step.l2_sectors, g.hbm_sectors += step.hbm_sectors;
  } else {
    SharedTraffic& s = i.kind == Kind::copy_target || i.kind == Kind::box_target ? t.shared_copy
                       : store                                                   ? t.shared_store
                                                                                 : t.shared_load;
    ++s.instructions, s.wavefronts += step.wavefronts, s.lane_bytes += lane_bytes;
    if (!is_unit_access(i.kind))
      s.wanted += std::min(step.wavefronts, fewest_wavefronts(i.lanes, i.width, store));
  }
}

Traffic traffic_of(const Step& step) {
  Traffic t;
  add_to(t, step);
  return t;
}

Traffic traffic_of(const AccessAxis& axis, int step) {
  Traffic t;
  if (step >= 0 && step < int(axis.steps.size()))
    for (const Step& part : axis.parts_of(step)) add_to(t, part);
  return t;
}

namespace {

// The parts of one step and of all before it: [0, first) and [first, end). Nothing before the first step.
struct PartRange {
  int first = 0, end = 0;
};
PartRange range_of(const AccessAxis& axis, int step) {
  step = std::min(step, int(axis.steps.size()) - 1);
  if (step < 0) return {};
  if (!axis.coarse) return {step, step + 1};
  const Step& s = axis.steps[std::size_t(step)];
  return {int(s.first_part), int(s.first_part + s.part_count)};
}

// The step that holds a part.
int step_of_part(const AccessAxis& axis, int part) {
  if (!axis.coarse || part < 0) return part;
  const auto after = std::upper_bound(axis.steps.begin(), axis.steps.end(), std::uint32_t(part),
                                      [](std::uint32_t p, const Step& s) { return p < s.first_part; });
  return int(after - axis.steps.begin()) - 1;
}

constexpr int kStride = 2048;                      // parts from checkpoint to checkpoint of the traffic
constexpr std::size_t kSnapshotBytes = 48u << 20;  // for all snapshots of one view's elements
constexpr int kLeastSteps = 512;                   // between two snapshots

// The elements of one view, with snapshots on the way, so that any step is a short walk from one.
class ElementHistory {
 public:
  ElementHistory(const AccessAxis& axis, const ViewInfo& view, const Region& region)
      : id_(view.id), bytes_(view.element_bytes), cols_(columns_of(view)), region_(region) {
    const std::size_t size = std::size_t(region.rows * region.cols) * sizeof(ElementState);
    const std::size_t most = std::max<std::size_t>(1, kSnapshotBytes / std::max<std::size_t>(1, size));
    const auto& parts = axis.all_parts();
    stride_ = std::max(kLeastSteps, int(parts.size() / most) + 1);
    std::vector<ElementState> state(std::size_t(region.rows * region.cols));
    for (int s = 0; s < int(parts.size()); ++s) {
      if (s % stride_ == 0) snapshots_.push_back(state);
      apply(parts[std::size_t(s)], state, false);
    }
  }
  // After steps 0 .. step.
  std::vector<ElementState> at(const AccessAxis& axis, int step) const {
    if (step < 0 || snapshots_.empty())
      return std::vector<ElementState>(std::size_t(region_.rows * region_.cols));
    const PartRange now = range_of(axis, step);
    const auto& parts = axis.all_parts();
    const std::size_t snapshot = std::min(std::size_t(now.first / stride_), snapshots_.size() - 1);
    std::vector<ElementState> state = snapshots_[snapshot];
    for (int p = int(snapshot) * stride_; p < now.end; ++p)
      apply(parts[std::size_t(p)], state, p >= now.first);
    return state;
  }

 private:
  void apply(const Step& step, std::vector<ElementState>& state, bool now) const {
    const WarpInstruction& i = step.instruction;
    if (step.barrier || i.view != id_) return;
    for_each_lane(i, [&](int lane) {
      const std::int64_t first = i.offset[lane] / bytes_, last = (i.offset[lane] + i.width - 1) / bytes_;
      for (std::int64_t e = first; e <= last; ++e) {
        const std::int64_t row = e / cols_ - region_.row, col = e % cols_ - region_.col;
        if (row < 0 || col < 0 || row >= region_.rows || col >= region_.cols) continue;
        ElementState& element = state[std::size_t(row * region_.cols + col)];
        ++(reads(i.kind) ? element.reads : element.writes);
        if (now) element.now = reads(i.kind) ? ElementState::Now::reads : ElementState::Now::writes;
      }
    });
  }

  std::uint16_t id_;
  std::uint32_t bytes_;
  std::int64_t cols_;
  Region region_;
  int stride_ = 1;
  std::vector<std::vector<ElementState>> snapshots_;
};

using ViewKey =
    std::tuple<int, std::uint16_t, std::uint32_t, std::int64_t>;  // launch, id, element bytes, columns
using RegionKey = std::tuple<std::uint16_t, std::uint32_t, std::int64_t, std::int64_t, std::int64_t,
                             std::int64_t, std::int64_t>;

Region find_region(const AccessAxis& axis, int launch, const ViewInfo& view) {
  const std::int64_t cols = columns_of(view);
  std::int64_t top = INT64_MAX, left = INT64_MAX, bottom = -1, right = -1;
  for (const Step& step : axis.all_parts()) {
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

}  // namespace

struct BlockProgress::Indices {
  std::map<ViewKey, Region> regions;
  std::map<RegionKey, ElementHistory> histories;
};

BlockProgress::BlockProgress(const AccessAxis& axis) : axis_(axis), indices_(std::make_unique<Indices>()) {
  Traffic t;
  const auto& parts = axis.all_parts();
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (p % kStride == 0) traffic_.push_back(t);
    add_to(t, parts[p]);
  }
}

BlockProgress::~BlockProgress() = default;

Traffic BlockProgress::traffic_until(int step) const {
  const int last = range_of(axis_, step).end - 1;
  if (last < 0) return {};
  Traffic t = traffic_[std::size_t(last / kStride)];
  for (int p = last / kStride * kStride; p <= last; ++p) add_to(t, axis_.all_parts()[std::size_t(p)]);
  return t;
}

Region BlockProgress::region_touched(int launch, const ViewInfo& view) const {
  const ViewKey key{launch, view.id, view.element_bytes, columns_of(view)};
  if (const auto known = indices_->regions.find(key); known != indices_->regions.end()) return known->second;
  return indices_->regions[key] = find_region(axis_, launch, view);
}

std::vector<ElementState> BlockProgress::elements_until(int step, const ViewInfo& view,
                                                        const Region& region) const {
  auto& histories = indices_->histories;
  const RegionKey key{view.id,    view.element_bytes, columns_of(view), region.row,
                      region.col, region.rows,        region.cols};
  auto known = histories.find(key);
  if (known == histories.end()) known = histories.emplace(key, ElementHistory(axis_, view, region)).first;
  return known->second.at(axis_, step);
}

namespace {

// First or last step that touches the element in the wanted direction.
Toucher find_toucher(const AccessAxis& axis, std::uint16_t view, std::uint32_t bytes, std::uint64_t element,
                     bool write) {
  Toucher found;
  const auto& parts = axis.all_parts();
  for (int p = 0; p < int(parts.size()); ++p) {
    const WarpInstruction& i = parts[std::size_t(p)].instruction;
    if (parts[std::size_t(p)].barrier || i.view != view || reads(i.kind) == write) continue;
    for_each_lane(i, [&](int lane) {
      const bool holds =
          i.offset[lane] / bytes <= element && element <= (i.offset[lane] + i.width - 1) / bytes;
      if (holds) found = {p, int(i.warp) * kWarpSize + (is_unit_access(i.kind) ? int(i.asked_by) : lane)};
    });
    if (!write && found.step >= 0) break;
  }
  found.step = step_of_part(axis, found.step);
  return found;
}

}  // namespace

Toucher writer_of(const AccessAxis& axis, std::uint16_t view, std::uint32_t element_bytes,
                  std::uint64_t element) {
  return find_toucher(axis, view, element_bytes, element, true);
}
Toucher reader_of(const AccessAxis& axis, std::uint16_t view, std::uint32_t element_bytes,
                  std::uint64_t element) {
  return find_toucher(axis, view, element_bytes, element, false);
}

}  // namespace lockstep
