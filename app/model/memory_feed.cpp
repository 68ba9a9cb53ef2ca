#include "memory_feed.hpp"

#include <bit>

namespace lockstep {

void MemoryFeed::begin_block(CacheShape l1) {
  waiting_.clear(), lines_.clear(), requests_.clear();
  load_sectors_ = store_sectors_ = 0;
  const bool same = l1_ && l1.bytes == l1_shape_.bytes && l1.ways == l1_shape_.ways;
  l1_shape_ = l1;
  same ? l1_->clear() : void(l1_.emplace(l1));
}

// The lines that the lanes touch; neighbours in lane order are merged, others where they meet again.
MemoryFeed::Access MemoryFeed::access_of(const WarpInstruction& i) {
  const auto first = std::uint32_t(lines_.size());
  std::array<std::uint32_t, 2 * kWarpSize> sectors;
  const int n = sector_list(i.lanes, i.offset, i.width, sectors);
  for (int s = 0; s < n; ++s) {
    const std::uint32_t number = sectors[s] / CacheShape::kSectors;
    if (lines_.size() == first || lines_.back().number != number) lines_.push_back({number, 0, {}});
    lines_.back().sectors |= 1u << sectors[s] % CacheShape::kSectors;
  }
  const Access access{i.warp, i.interval, first,         std::uint32_t(lines_.size()) - first,
                      i.view, i.kind,     i.copy.fetched};
  if (reads(i.kind)) return access;
  Line* line = &lines_[first];
  for (std::uint32_t rest = i.lanes; rest; rest &= rest - 1) {
    const std::uint32_t offset = i.offset[std::size_t(std::countr_zero(rest))];
    const std::uint32_t number = offset / CacheShape::kLineBytes, at = offset % CacheShape::kLineBytes;
    if (line->number != number)
      line = &*std::lower_bound(lines_.begin() + first, lines_.end(), number,
                                [](const Line& l, std::uint32_t x) { return l.number < x; });
    // An access is aligned to its width, so it lies in one sector.
    line->bytes[at / 32] |= ((1u << i.width) - 1) << at % 32;
  }
  return access;
}

std::uint32_t MemoryFeed::feed(const Access& a, const Line& line) {
  const auto count = std::uint32_t(std::popcount(line.sectors));
  const auto ask_l2 = [&](unsigned sectors, bool store) {
    requests_.push_back({line.number, a.view, std::uint8_t(sectors), store});
  };
  if (is_atomic(a.kind)) {
    l1_->forget(a.view, line.number, line.sectors);
    ask_l2(line.sectors, false);
    if (a.kind == Kind::atomic) load_sectors_ += count;  // its result comes back
    return count;
  }
  if (!reads(a.kind)) {
    l1_->store(a.view, line.number, line.bytes);
    store_sectors_ += count;
    ask_l2(line.sectors, true);
    return count;
  }
  const bool around_l1 = a.copied || a.kind == Kind::load_l2 || is_box(a.kind);
  const unsigned missing = around_l1 ? line.sectors : l1_->load(a.view, line.number, line.sectors);
  if (!missing) return 0;
  load_sectors_ += std::uint64_t(std::popcount(missing));
  ask_l2(missing, false);
  return std::uint32_t(std::popcount(missing));
}

std::uint32_t MemoryFeed::feed(const Access& access) {
  std::uint32_t sum = 0;
  for (std::uint32_t k = 0; k < access.count; ++k) sum += feed(access, lines_[access.first + k]);
  if (access.copied > sum) load_sectors_ += access.copied - sum, sum = access.copied;
  return sum;
}

std::uint32_t MemoryFeed::feed(const WarpInstruction& instruction) {
  lines_.clear();
  return feed(access_of(instruction));
}

void MemoryFeed::add(const WarpInstruction& instruction) { waiting_.push_back(access_of(instruction)); }

void MemoryFeed::feed_waiting() {
  struct Stream {
    std::size_t next, end;
  };
  std::vector<Stream> warps;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (i == 0 || waiting_[i].warp != waiting_[i - 1].warp) warps.push_back({i, i});
    warps.back().end = i + 1;
  }
  for (std::uint32_t interval = 0; !warps.empty(); ++interval) {
    for (bool moved = true; moved;) {
      moved = false;
      for (Stream& warp : warps)
        if (warp.next < warp.end && waiting_[warp.next].interval <= interval)
          feed(waiting_[warp.next++]), moved = true;
    }
    std::erase_if(warps, [](const Stream& warp) { return warp.next == warp.end; });
  }
  waiting_.clear(), lines_.clear();
}

}  // namespace lockstep
