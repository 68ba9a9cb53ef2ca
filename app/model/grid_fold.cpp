#include "grid_fold.hpp"

#include <algorithm>
#include <bit>

namespace lockstep {
namespace {

Touch empty_touch(const ViewInfo& view) {
  const std::uint64_t n = view.elements();
  Touch t;
  t.view = view.id;
  t.writer_block.assign(n, Touch::kNobody), t.reader_block.assign(n, Touch::kNobody);
  for (auto* column : {&t.writer_thread, &t.writer_line, &t.reader_thread, &t.reader_line, &t.reads})
    column->assign(n, 0);
  return t;
}

}  // namespace

GridFold::GridFold(Launch& launch, std::int64_t followed_block, CacheModel& l2, std::int64_t followed_warp,
                   std::uint64_t max_followed_events, Gpu gpu)
    : launch_(launch),
      l2_(l2),
      followed_(followed_block),
      followed_warp_(followed_warp),
      max_followed_events_(max_followed_events),
      gpu_(std::move(gpu)),
      touch_of_view_(kFirstSharedView, -1),
      element_bytes_(kFirstSharedView, 4) {
  for (const ViewInfo& view : launch.views) {
    if (view.space != Space::global || view.id >= kFirstSharedView) continue;
    element_bytes_[view.id] = view.element_bytes;
    if (view.elements() > kMaxKeptElements) continue;
    touch_of_view_[view.id] = int(touches_.size());
    touches_.push_back(empty_touch(view));
  }
}

void FoldedBlock::clear() {
  block = 0, counts = {}, accesses = mask_differences = l2_load_sectors = l2_store_sectors = 0;
  requests.clear(), global.clear(), offsets.clear();
  trace.reset(), in_step_order = false, shared_bytes = 0;
}

void BlockFold::fold(std::int64_t block, std::span<const std::span<const Access>> threads,
                     std::span<const std::span<const Copy>> copies, std::int64_t shared_bytes,
                     FoldedBlock& folded) {
  folded.clear();
  folded.block = block, folded.shared_bytes = shared_bytes;
  if (block == grid_->followed_) folded.trace = grid_->followed_trace(threads, copies);
  folded.in_step_order = folded.trace && !folded.trace->dropped;  // so that each step knows its own sectors
  feed_.begin_block(grid_->l1_of(threads.size(), shared_bytes));
  for (std::uint32_t warp = 0; warp * kWarpSize < threads.size(); ++warp) {
    LaneStreams lanes;
    for (std::size_t lane = 0; lane < kWarpSize && warp * kWarpSize + lane < threads.size(); ++lane) {
      lanes[lane] = threads[warp * kWarpSize + lane];
      folded.accesses += lanes[lane].size();
    }
    fold_.fold(warp, lanes, [&](const WarpInstruction& i) {
      add_to(folded.counts, i);
      if (i.kind != Kind::warp_sync && i.kind != Kind::barrier && i.gpu_mask && i.gpu_mask != i.lanes)
        ++folded.mask_differences;
      if (i.view >= kFirstSharedView || !moves_data(i.kind)) return;
      if (!folded.in_step_order) feed_.add(i);
      folded.global.push_back({i.lanes, std::uint32_t(folded.offsets.size()), i.view, i.line,
                               std::uint16_t(warp), i.width, i.kind, i.asked_by});
      for (std::uint32_t rest = i.lanes; rest; rest &= rest - 1)
        folded.offsets.push_back(i.offset[std::size_t(std::countr_zero(rest))]);
    });
  }
  feed_.feed_waiting();
  std::swap(folded.requests, feed_.requests());
  folded.l2_load_sectors = feed_.load_sectors(), folded.l2_store_sectors = feed_.store_sectors();
}

CacheShape GridFold::l1_of(std::size_t threads, std::int64_t shared_bytes) const {
  return l1_share(gpu_, int(threads), shared_bytes, launch_.blocks());
}

void GridFold::add_block(std::int64_t block, std::span<const std::span<const Access>> threads,
                         std::span<const std::span<const Copy>> copies) {
  fold_.fold(block, threads, copies, shared_bytes_, folded_);
  add(folded_);
}

void GridFold::add(FoldedBlock& folded) {
  for (const CountField& field : kCountFields) counts_.*field.member += folded.counts.*field.member;
  accesses_ += folded.accesses, mask_differences_ += folded.mask_differences;
  l2_load_sectors_ += folded.l2_load_sectors, l2_store_sectors_ += folded.l2_store_sectors;
  for (const L2Request& request : folded.requests) ask(l2_, request);
  if (!touches_.empty())
    for (const GlobalAccess& access : folded.global) touch(folded, access);
  if (!folded.trace) return;
  launch_.trace = *std::move(folded.trace);
  if (folded.in_step_order) feed_followed(folded.shared_bytes);
}

// How many events of each thread are kept: all of a warp's, or none; of a followed warp that is too large by
// itself, the first ones of every lane.
std::vector<std::uint64_t> GridFold::kept_events(std::span<const std::span<const Access>> threads) const {
  std::vector<std::uint64_t> kept(threads.size(), 0);
  std::uint64_t room = max_followed_events_;
  const std::size_t warps = (threads.size() + kWarpSize - 1) / kWarpSize;
  const auto first_warp = std::size_t(std::clamp<std::int64_t>(followed_warp_, 0, std::int64_t(warps) - 1));
  for (std::size_t k = 0; k < warps; ++k) {
    const std::size_t warp = k == 0 ? first_warp : k <= first_warp ? k - 1 : k;
    const std::size_t begin = warp * kWarpSize, end = std::min(begin + kWarpSize, threads.size());
    std::uint64_t events = 0;
    for (std::size_t t = begin; t < end; ++t) events += threads[t].size();
    if (events > room && k > 0) continue;
    for (std::size_t t = begin; t < end; ++t)
      kept[t] =
          std::min<std::uint64_t>(threads[t].size(), events > room ? room / kWarpSize : threads[t].size());
    room -= std::min(room, events);
  }
  return kept;
}

BlockTrace GridFold::followed_trace(std::span<const std::span<const Access>> threads,
                                    std::span<const std::span<const Copy>> copies) const {
  BlockTrace trace;
  trace.block = followed_;
  trace.begin.assign(1, 0), trace.copy_begin.assign(1, 0);
  const auto kept = kept_events(threads);
  for (std::size_t t = 0; t < threads.size(); ++t) {
    trace.events.insert(trace.events.end(), threads[t].begin(), threads[t].begin() + std::ptrdiff_t(kept[t]));
    trace.begin.push_back(trace.events.size());
    trace.dropped += std::int64_t(threads[t].size() - kept[t]);
  }
  for (std::size_t t = 0; t < threads.size(); ++t) {
    const bool whole = kept[t] == threads[t].size();
    if (whole && t < copies.size())
      trace.copies.insert(trace.copies.end(), copies[t].begin(), copies[t].end());
    trace.copy_begin.push_back(trace.copies.size());
  }
  return trace;
}

void GridFold::feed_followed(std::int64_t shared_bytes) {
  MemoryFeed feed;
  BlockTrace& trace = launch_.trace;
  feed.begin_block(l1_of(trace.begin.size() - 1, shared_bytes));
  std::size_t asked = 0;
  for (const WarpInstruction& i : canonical_instructions(trace)) {
    if (i.view >= kFirstSharedView) continue;
    trace.l2_sectors.push_back(feed.feed(i));
    int hbm = 0;
    for (; asked < feed.requests().size(); ++asked) hbm += ask(l2_, feed.requests()[asked]);
    trace.hbm_sectors.push_back(std::uint32_t(hbm));
  }
  l2_load_sectors_ += feed.load_sectors(), l2_store_sectors_ += feed.store_sectors();
}

void GridFold::draw(std::int64_t block, std::uint16_t view, std::uint64_t element) {
  const std::uint64_t place = std::uint64_t{view} << 48 | element;
  if (drawn_.size() < kMostDrawn && drawn_.insert({place, block}).second) drawn_by_[block].push_back(place);
}

bool GridFold::was_told(std::int64_t reader, std::int64_t writer) const {
  const auto drawn = drawn_by_.find(reader);
  return drawn != drawn_by_.end() &&
         std::any_of(drawn->second.begin(), drawn->second.end(), [&](std::uint64_t place) {
           return drawn_.contains({place, writer});
         });
}

void GridFold::touch(const FoldedBlock& folded, const GlobalAccess& a) {
  const int index = touch_of_view_[a.view];
  if (index < 0) return;
  Touch& t = touches_[std::size_t(index)];
  const std::uint32_t bytes = element_bytes_[a.view];
  const std::uint32_t* offset = &folded.offsets[a.first];
  for (std::uint32_t rest = a.lanes; rest; rest &= rest - 1, ++offset) {
    const std::uint64_t first = *offset / bytes, last = (*offset + a.width - 1) / bytes;
    const int lane = is_unit_access(a.kind) ? int(a.asked_by) : std::countr_zero(rest);
    const auto thread = std::uint16_t(a.warp * kWarpSize + lane);
    for (std::uint64_t e = first; e <= last && e < t.writer_block.size(); ++e) {
      if (!seen_write_ && reads(a.kind) && !is_atomic(a.kind) && t.writer_block[e] != Touch::kNobody &&
          t.writer_block[e] != folded.block && !was_told(folded.block, t.writer_block[e]))
        seen_write_ = {folded.block, t.writer_block[e], a.line, t.writer_line[e]};
      if (!seen_write_ && a.kind == Kind::atomic) draw(folded.block, a.view, e);
      if (writes(a.kind))
        t.writer_block[e] = std::uint32_t(folded.block), t.writer_thread[e] = thread,
        t.writer_line[e] = a.line;
      if (!reads(a.kind)) continue;
      if (t.reader_block[e] == Touch::kNobody)
        t.reader_block[e] = std::uint32_t(folded.block), t.reader_thread[e] = thread,
        t.reader_line[e] = a.line;
      if (t.reads[e] < 0xffff) ++t.reads[e];
    }
  }
}

}  // namespace lockstep
