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
      followed_(followed_block),
      followed_warp_(followed_warp),
      max_followed_events_(max_followed_events),
      gpu_(std::move(gpu)),
      feed_(l2),
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

void GridFold::add_block(std::int64_t block, std::span<const std::span<const Access>> threads,
                         std::span<const std::span<const Copy>> copies) {
  const bool followed = block == followed_;
  if (followed) keep_followed(threads, copies);
  const bool in_step_order = followed && !launch_.trace.dropped;  // so that each step knows its own sectors
  feed_.begin_block(l1_share(gpu_, int(threads.size()), shared_bytes_, launch_.blocks()));
  for (std::uint32_t warp = 0; warp * kWarpSize < threads.size(); ++warp) {
    LaneStreams lanes;
    for (std::size_t lane = 0; lane < kWarpSize && warp * kWarpSize + lane < threads.size(); ++lane) {
      lanes[lane] = threads[warp * kWarpSize + lane];
      accesses_ += lanes[lane].size();
    }
    fold_.fold(warp, lanes, [&](const WarpInstruction& i) {
      add_to(counts_, i);
      if (i.kind != Kind::warp_sync && i.gpu_mask && i.gpu_mask != i.lanes) ++mask_differences_;
      if (i.view >= kFirstSharedView || !moves_data(i.kind)) return;
      if (!in_step_order) feed_.add(i);
      if (!touches_.empty()) touch(block, i);
    });
  }
  feed_.feed_waiting();
  if (in_step_order) feed_followed();
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

void GridFold::keep_followed(std::span<const std::span<const Access>> threads,
                             std::span<const std::span<const Copy>> copies) {
  BlockTrace& trace = launch_.trace;
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
}

void GridFold::feed_followed() {
  for (const WarpInstruction& i : canonical_instructions(launch_.trace)) {
    if (i.view >= kFirstSharedView) continue;
    const MovedSectors moved = feed_.feed(i);
    launch_.trace.l2_sectors.push_back(moved.l2), launch_.trace.hbm_sectors.push_back(moved.hbm);
  }
}

void GridFold::touch(std::int64_t block, const WarpInstruction& i) {
  const int index = touch_of_view_[i.view];
  if (index < 0) return;
  Touch& t = touches_[index];
  const std::uint32_t bytes = element_bytes_[i.view];
  for (std::uint32_t rest = i.lanes; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t first = i.offset[lane] / bytes, last = (i.offset[lane] + i.width - 1) / bytes;
    const std::uint16_t thread = std::uint16_t(i.warp * kWarpSize + lane);
    for (std::uint64_t e = first; e <= last && e < t.writer_block.size(); ++e) {
      if (i.kind == Kind::store || i.kind == Kind::atomic)
        t.writer_block[e] = std::uint32_t(block), t.writer_thread[e] = thread, t.writer_line[e] = i.line;
      if (i.kind == Kind::store) continue;
      if (t.reader_block[e] == Touch::kNobody)
        t.reader_block[e] = std::uint32_t(block), t.reader_thread[e] = thread, t.reader_line[e] = i.line;
      if (t.reads[e] < 0xffff) ++t.reads[e];
    }
  }
}

}  // namespace lockstep
