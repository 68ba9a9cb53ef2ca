#include "fold.hpp"

#include <map>
#include <set>

namespace lockstep {

bool WarpFold::aligned(const LaneStreams& lanes) const {
  const std::span<const Access>* first = nullptr;
  for (const auto& stream : lanes) {
    if (stream.empty()) continue;
    if (!first) {
      first = &stream;
      continue;
    }
    if (stream.size() != first->size()) return false;
    std::uint64_t differ = 0;
    for (std::size_t k = 0; k < stream.size(); ++k) {
      differ |= stream[k].site() ^ (*first)[k].site();
      if (stream[k].kind == Kind::iteration) differ |= stream[k].offset ^ (*first)[k].offset;
    }
    if (differ) return false;
  }
  return true;
}

std::vector<std::uint32_t> IssueOrder::ordered() {
  std::vector<std::uint32_t> all;
  all.reserve(instructions_.size());
  std::array<std::size_t, kWarpSize> next{};
  std::set<std::pair<std::uint32_t, std::uint32_t>> ready;
  for (auto& own : of_lane_) std::sort(own.begin(), own.end());
  // The lane has come to its next instruction that is still to be issued.
  const auto arrive = [&](std::size_t lane) {
    const auto& own = of_lane_[lane];
    while (next[lane] < own.size() && instructions_[own[next[lane]].second].issued) ++next[lane];
    if (next[lane] == own.size()) return;
    const std::uint32_t i = own[next[lane]].second;
    if (--instructions_[i].missing == 0) ready.insert({instructions_[i].order, i});
  };
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) arrive(lane);
  const auto least_waited_for = [&] {
    std::pair<std::uint32_t, std::uint32_t> least{UINT32_MAX, UINT32_MAX};
    for (std::size_t lane = 0; lane < kWarpSize; ++lane)
      if (next[lane] < of_lane_[lane].size()) {
        const std::uint32_t i = of_lane_[lane][next[lane]].second;
        least = std::min(least, {instructions_[i].order, i});
      }
    return least.second;
  };
  while (all.size() < instructions_.size()) {
    const std::uint32_t i = ready.empty() ? least_waited_for() : ready.begin()->second;
    if (!ready.empty()) ready.erase(ready.begin());
    instructions_[i].issued = true;
    all.push_back(i);
    for (std::size_t lane = 0; lane < kWarpSize; ++lane)
      if (next[lane] < of_lane_[lane].size() && of_lane_[lane][next[lane]].second == i) arrive(lane);
  }
  return all;
}

// The lanes that have met least often go on to their next meeting, which belongs to the piece.
LaneStreams WarpFold::next_piece(const LaneStreams& lanes, Places& at, const Meetings& met) {
  LaneStreams piece;
  const auto left = [&](std::size_t lane) { return lanes[lane].subspan(at.position[lane]); };
  std::pair<std::uint32_t, std::uint32_t> least{UINT32_MAX, UINT32_MAX};
  for (std::size_t lane = 0; lane < kWarpSize; ++lane)
    if (!left(lane).empty()) least = std::min(least, met[lane]);
  std::tie(at.interval, at.collective) = least;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    if (met[lane] != least) continue;
    const auto rest = left(lane);
    std::size_t size = 0;
    while (size < rest.size()) {
      const Kind kind = rest[size++].kind;
      if (kind == Kind::barrier || kind == Kind::warp_sync) break;
    }
    piece[lane] = rest.first(size);
  }
  return piece;
}

// Aligned, in one iteration.
bool WarpFold::alike(const LaneStreams& piece, const Places& at) const {
  int first = -1;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (piece[std::size_t(lane)].empty()) continue;
    if (first < 0) first = lane;
    if (at.iteration[std::size_t(lane)] != at.iteration[std::size_t(first)]) return false;
  }
  const auto& stream = piece[std::size_t(first)];
  return std::none_of(stream.begin(), stream.end(),
                      [](const Access& a) { return a.kind == Kind::iteration; }) &&
         aligned(piece);
}

namespace {

struct LineKey {
  std::uint16_t file, line;
  auto operator<=>(const LineKey&) const = default;
};

// The lines of each barrier interval in the order in which the threads pass them. A line that only some
// threads pass stands somewhere behind the line that they passed before it.
class LineOrder {
 public:
  explicit LineOrder(const BlockTrace& trace) {
    for (std::size_t thread = 0; thread + 1 < trace.begin.size(); ++thread) add_thread(trace, thread);
  }
  std::size_t rank(const WarpInstruction& i) const {
    const auto& lines = lines_.at(i.interval);
    return std::size_t(std::find(lines.begin(), lines.end(), LineKey{i.file, i.line}) - lines.begin());
  }

 private:
  void add_thread(const BlockTrace& trace, std::size_t thread) {
    std::size_t interval = 0;
    std::size_t behind = 0;  // one past the furthest line that this thread has reached in the interval
    for (auto k = trace.begin[thread]; k < trace.begin[thread + 1]; ++k) {
      const Access& a = trace.events[k];
      if (is_remark(a.kind)) continue;
      if (interval == lines_.size()) lines_.emplace_back();
      behind = pass(lines_[interval], {a.file, a.line}, behind);
      if (a.kind == Kind::barrier) ++interval, behind = 0;
    }
  }
  static std::size_t pass(std::vector<LineKey>& lines, LineKey key, std::size_t behind) {
    if (behind > 0 && lines[behind - 1] == key) return behind;
    const auto known = std::find(lines.begin(), lines.end(), key);
    if (known != lines.end()) return std::max(behind, std::size_t(known - lines.begin()) + 1);
    // Among lines that no thread has passed both of, the smaller number comes first.
    while (behind < lines.size() && lines[behind] < key) ++behind;
    lines.insert(lines.begin() + std::ptrdiff_t(behind), key);
    return behind + 1;
  }
  std::vector<std::vector<LineKey>> lines_;  // [interval]
};

auto canonical_key(const WarpInstruction& i, const LineOrder& order) {
  return std::tuple(i.interval, i.collective, order.rank(i), i.kind, i.view, i.width, i.iteration, i.visit,
                    i.warp, i.lanes);
}

}  // namespace

static LaneStreams lanes_of_warp(const BlockTrace& trace, std::uint32_t warp) {
  LaneStreams lanes;
  const std::size_t threads = trace.begin.empty() ? 0 : trace.begin.size() - 1;
  for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
    const std::size_t thread = warp * kWarpSize + lane;
    if (thread >= threads) break;
    lanes[lane] = {trace.events.data() + trace.begin[thread], trace.events.data() + trace.begin[thread + 1]};
  }
  return lanes;
}

std::vector<WarpInstruction> block_instructions(const BlockTrace& trace) {
  std::vector<WarpInstruction> all;
  const std::size_t threads = trace.begin.empty() ? 0 : trace.begin.size() - 1;
  WarpFold fold;
  for (std::uint32_t warp = 0; warp * kWarpSize < threads; ++warp)
    fold.fold(warp, lanes_of_warp(trace, warp), [&](const WarpInstruction& i) { all.push_back(i); });
  const LineOrder order(trace);
  using Key = decltype(canonical_key(all.front(), order));
  std::vector<std::pair<Key, std::uint32_t>> keyed;  // each key is made once: a rank is a look-up
  keyed.reserve(all.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) keyed.emplace_back(canonical_key(all[i], order), i);
  std::sort(keyed.begin(), keyed.end());
  std::vector<WarpInstruction> sorted;
  sorted.reserve(all.size());
  for (const auto& [key, i] : keyed) sorted.push_back(all[i]);
  return sorted;
}

std::vector<WarpInstruction> warp_instructions(const BlockTrace& trace, std::uint32_t warp) {
  std::vector<WarpInstruction> all;
  WarpFold().fold(warp, lanes_of_warp(trace, warp), [&](const WarpInstruction& i) { all.push_back(i); });
  return all;
}

static bool moves_data(const WarpInstruction& i) { return moves_data(i.kind); }

std::vector<WarpInstruction> canonical_instructions(const BlockTrace& trace) {
  auto all = block_instructions(trace);
  std::erase_if(all, [](const WarpInstruction& i) { return !moves_data(i); });
  return all;
}

void add_to(Counts& counts, const WarpInstruction& i) {
  if (i.kind == Kind::barrier) {
    ++counts.barriers;
    return;
  }
  if (!moves_data(i)) return;
  if (is_atomic(i.kind)) {  // the profiler counts atomics apart
    if (i.view >= kFirstSharedView)
      ++counts.shared_atomic_instructions;
    else
      (i.kind == Kind::atomic ? counts.global_atomic_sectors : counts.global_reduction_sectors) +=
          requested_sectors(i);
    return;
  }
  if (i.kind == Kind::load_cluster) {  // the profiler has sectors of them ("dshared"), no wavefronts
    counts.cluster_load_sectors += global_sectors(i.lanes, i.offset, i.width);
    return;
  }
  if (is_unit_access(i.kind)) {  // the profiler has them nowhere among the threads' accesses
    if (i.kind == Kind::box_target) counts.box_sectors += i.copy.requested;
    if (i.kind == Kind::store_target) counts.box_store_sectors += global_sectors(i.lanes, i.offset, i.width);
    counts.products += i.kind == Kind::product_b && i.visit % kPiecesOfUnit == 0;
    return;
  }
  const bool store = !reads(i.kind);
  if (i.view < kFirstSharedView) {
    ++(store ? counts.global_store_requests : counts.global_load_requests);
    (store ? counts.global_store_sectors : counts.global_load_sectors) += requested_sectors(i);
    return;
  }
  const int wavefronts = shared_wavefronts(i.lanes, i.offset, i.width, store);
  if (i.kind == Kind::copy_target) {
    counts.shared_async_wavefronts += wavefronts;
    return;
  }
  const int extra = std::max(0, wavefronts - fewest_wavefronts(i.lanes, i.width, store));
  (store ? counts.shared_store_wavefronts : counts.shared_load_wavefronts) += wavefronts;
  (store ? counts.shared_store_conflicts : counts.shared_load_conflicts) += extra;
}

namespace {

// A thread's events with their interval and visit, sorted so that the order of operands does not matter.
struct KeyedEvent {
  std::uint32_t interval;
  std::uint64_t site;
  std::uint32_t visit;
  std::uint32_t offset;
  auto operator<=>(const KeyedEvent&) const = default;
};

std::vector<KeyedEvent> keyed_events(const BlockTrace& trace, std::size_t thread) {
  std::vector<KeyedEvent> keyed;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> visits;
  std::uint32_t interval = 0;
  for (auto k = trace.begin[thread]; k < trace.begin[thread + 1]; ++k) {
    const Access& a = trace.events[k];
    auto seen = std::find_if(visits.begin(), visits.end(), [&](auto& v) { return v.first == a.site(); });
    if (seen == visits.end()) seen = visits.insert(visits.end(), {a.site(), 0});
    keyed.push_back({interval, a.site(), seen->second++, a.offset});
    if (a.kind == Kind::barrier || a.kind == Kind::warp_sync) ++interval, visits.clear();
  }
  std::sort(keyed.begin(), keyed.end());
  return keyed;
}

std::string described(const KeyedEvent& event) {
  Access a;
  std::memcpy(&a.file, &event.site, sizeof event.site);
  return expand("kind {0}, {1} bytes at offset {2} of view {3} by line {4}, visit {5}",
                {std::to_string(int(a.kind)), std::to_string(a.width), std::to_string(event.offset),
                 std::to_string(a.view), std::to_string(a.line), std::to_string(event.visit)});
}

}  // namespace

std::string stream_difference(const BlockTrace& a, const BlockTrace& b, bool as_far_as_both) {
  if (a.begin.size() != b.begin.size())
    return expand("{0} threads against {1}",
                  {std::to_string(a.begin.size()), std::to_string(b.begin.size())});
  for (std::size_t thread = 0; thread + 1 < a.begin.size(); ++thread) {
    auto x = keyed_events(a, thread), y = keyed_events(b, thread);
    if (as_far_as_both) {  // the shorter one's are among the longer one's
      if (x.size() > y.size()) std::swap(x, y);
      if (std::includes(y.begin(), y.end(), x.begin(), x.end())) continue;
    }
    if (x.size() != y.size())
      return expand("thread {0}: {1} events against {2}",
                    {std::to_string(thread), std::to_string(x.size()), std::to_string(y.size())});
    for (std::size_t k = 0; k < x.size(); ++k)
      if (x[k] != y[k])
        return expand("thread {0}, event {1}: {2} against {3}",
                      {std::to_string(thread), std::to_string(k), described(x[k]), described(y[k])});
  }
  return "";
}

}  // namespace lockstep
