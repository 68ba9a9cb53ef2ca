// Templates of fold.hpp. Included by it alone.
#include <algorithm>
#include <bit>
#include <map>

namespace lockstep {

// Lanes may leave out the reading half of a copy (where zeros are filled in), never the writing half: the two
// halves share the visit of the latter.
inline std::uint32_t WarpFold::visits(std::uint64_t site) const {
  for (const Site& known : sites_)
    if (known.key == site) return known.visits;
  return 0;
}

inline std::uint32_t WarpFold::visit(std::uint64_t site) {
  for (Site& known : sites_)
    if (known.key == site) return known.visits++;
  sites_.push_back({site, 1});
  return 0;
}

// Whether a lane comes to no marked iteration twice: a loop within a loop marks the same numbers again.
inline bool iterations_rise(std::span<const Access> stream, std::uint32_t before) {
  std::int64_t highest = -1;
  for (const Access& a : stream) {
    if (a.kind != Kind::iteration) {
      highest = std::max(highest, std::int64_t(before));  // what stands ahead of the first mark counts, too
      continue;
    }
    if (std::int64_t(a.offset) <= highest) return false;
    highest = before = a.offset;
  }
  return true;
}

// cp.async of 16 bytes; its target is the next event of the same lane.
inline bool around_l1(const Access& a) { return a.kind == Kind::copy_issue && a.width == 16; }

// What units are told is handed on as what they touch.
template <class F>
void WarpFold::fold(std::uint32_t warp, const LaneStreams& lanes, F&& emit) {
  units_ = {};
  fold_pieces(warp, lanes, [&](const WarpInstruction& i) {
    if (is_unit_access(i.kind))
      units_.add(i, emit);
    else
      emit(i);
  });
}

// Where lanes differ anywhere, the streams are taken piece by piece, from one meeting (barrier or warp
// collective) to the next: most pieces are alike in all lanes.
template <class F>
void WarpFold::fold_pieces(std::uint32_t warp, const LaneStreams& lanes, F&& emit) {
  if (aligned(lanes)) return fold_aligned(warp, lanes, {}, emit);
  Places at;
  Meetings met{};
  for (;;) {
    const LaneStreams piece = next_piece(lanes, at, met);
    if (std::all_of(piece.begin(), piece.end(), [](const auto& stream) { return stream.empty(); })) return;
    if (alike(piece, at))
      fold_aligned(warp, piece, at, emit);
    else
      fold_general(warp, piece, at, emit);
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
      if (piece[lane].empty()) continue;
      for (const Access& a : piece[lane]) {
        at.position[lane]++;
        if (a.kind == Kind::iteration)
          at.iteration[lane] = a.offset;
        else
          at.order[lane]++;
      }
      auto& [interval, collective] = met[lane];
      const Kind end = piece[lane].back().kind;
      if (end == Kind::barrier) ++interval, collective = 0, at.iteration[lane] = 0;
      if (end == Kind::warp_sync) ++collective;
    }
  }
}

// Every lane passed the same sites in the same order: position k of each stream is one instruction.
template <class F>
void WarpFold::fold_aligned(std::uint32_t warp, const LaneStreams& lanes, const Places& at, F&& emit) {
  std::uint32_t active = 0;
  int first = -1;
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (!lanes[lane].empty()) {
      active |= 1u << lane;
      if (first < 0) first = lane;
    }
  if (first < 0) return;
  sites_.clear();
  WarpInstruction out;
  std::array<std::uint32_t, kWarpSize> targets;
  out.warp = warp;
  out.lanes = active;
  out.interval = at.interval, out.collective = at.collective,
  out.iteration = at.iteration[std::size_t(first)];
  for (std::size_t k = 0; k < lanes[first].size(); ++k) {
    const Access& a = lanes[first][k];
    if (is_remark(a.kind)) {
      if (a.kind == Kind::iteration) out.iteration = a.offset;
      continue;
    }
    out.file = a.file, out.line = a.line, out.view = a.view, out.width = a.width, out.kind = a.kind;
    out.gpu_mask = a.mask, out.clock = a.clock,
    out.position = at.position[std::size_t(first)] + std::uint32_t(k);
    const bool paired = a.kind == Kind::copy_issue && k + 1 < lanes[first].size();
    out.visit = paired ? visits(lanes[first][k + 1].site()) : visit(a.site());
    for (std::uint32_t rest = active; rest; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      out.offset[lane] = lanes[lane][k].offset;
    }
    out.copy = {};
    if (around_l1(a) && k + 1 < lanes[first].size()) {
      for (std::uint32_t rest = active; rest; rest &= rest - 1)
        targets[std::countr_zero(rest)] = lanes[std::countr_zero(rest)][k + 1].offset;
      out.copy = copy_sectors(active, out.offset, targets);
    }
    emit(static_cast<const WarpInstruction&>(out));
    if (a.kind == Kind::barrier) ++out.interval, out.collective = 0, sites_.clear();
    if (a.kind == Kind::warp_sync) ++out.collective, sites_.clear();
  }
}

// Lanes differ in this piece: key every event of every lane, sort, and group what has the same key.
template <class F>
void WarpFold::fold_general(std::uint32_t warp, const LaneStreams& lanes, const Places& at, F&& emit) {
  struct Entry {
    std::uint64_t site, pass;  // pass: iteration << 32 | visit
    int lane;
    std::uint32_t order;  // position in the lane's stream
    const Access* access;
    std::uint32_t target;  // where a copy writes: the event behind its issue
    bool same(const Entry& other) const { return site == other.site && pass == other.pass; }
  };
  std::vector<Entry> entries;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    sites_.clear();
    std::uint32_t iteration = at.iteration[std::size_t(lane)], order = at.order[std::size_t(lane)];
    const bool rise = iterations_rise(lanes[lane], iteration);
    std::map<std::uint32_t, std::vector<Site>> earlier;  // of iterations that may come again
    for (const Access& a : lanes[lane]) {
      const bool last = &a == &lanes[lane].back();
      if (a.kind == Kind::iteration) {
        // Each marked iteration has visits of its own: lanes that skip one still agree on the next.
        if (!rise) {
          earlier[iteration].swap(sites_);
          sites_ = std::move(earlier[a.offset]);
        } else {
          sites_.clear();
        }
        iteration = a.offset;
        continue;
      }
      if (is_remark(a.kind)) {
        ++order;
        continue;
      }
      const bool paired = a.kind == Kind::copy_issue && !last;
      const std::uint32_t now = paired ? visits((&a)[1].site()) : visit(a.site());
      entries.push_back({a.site(), std::uint64_t(iteration) << 32 | now, lane, order++, &a,
                         around_l1(a) && !last ? (&a)[1].offset : 0});
    }
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    if (a.site != b.site) return a.site < b.site;
    return a.pass != b.pass ? a.pass < b.pass : a.lane < b.lane;
  });
  struct Group {
    std::size_t begin, end;
    std::uint32_t order;
  };
  std::vector<Group> groups;
  for (std::size_t i = 0; i < entries.size();) {
    std::size_t j = i;
    while (j < entries.size() && entries[j].same(entries[i])) ++j;
    groups.push_back({i, j, entries[i].order});
    i = j;
  }
  IssueOrder order;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    order.add(groups[g].order);
    for (std::size_t i = groups[g].begin; i < groups[g].end; ++i)
      order.add_lane(entries[i].lane, entries[i].order);
  }
  std::array<std::uint32_t, kWarpSize> targets;
  for (const std::uint32_t g : order.ordered()) {
    const Group& group = groups[g];
    const Entry& head = entries[group.begin];
    WarpInstruction out;
    out.warp = warp;
    out.interval = at.interval, out.collective = at.collective;
    out.visit = std::uint32_t(head.pass), out.iteration = std::uint32_t(head.pass >> 32);
    const Access& a = *head.access;
    out.file = a.file, out.line = a.line, out.view = a.view, out.width = a.width, out.kind = a.kind;
    out.gpu_mask = a.mask, out.clock = a.clock,
    out.position =
        at.position[std::size_t(head.lane)] + std::uint32_t(&a - lanes[std::size_t(head.lane)].data());
    for (std::size_t i = group.begin; i < group.end; ++i) {
      out.lanes |= 1u << entries[i].lane;
      out.offset[entries[i].lane] = entries[i].access->offset;
      targets[entries[i].lane] = entries[i].target;
    }
    if (around_l1(a)) out.copy = copy_sectors(out.lanes, out.offset, targets);
    emit(static_cast<const WarpInstruction&>(out));
  }
}

}  // namespace lockstep
