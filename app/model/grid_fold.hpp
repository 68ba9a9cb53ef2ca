// Folds a grid block by block as an engine delivers it: counts for the whole grid, the modelled caches, who
// touched what, and the followed block's events. One copy for the emulator and the GPU trace.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "cache.hpp"
#include "fold.hpp"
#include "memory_feed.hpp"
#include "run.hpp"

namespace lockstep {

// Events of the followed block that are kept (240 MB; their steps take about a third of that again). Beyond
// it whole warps are left out, the followed one last; what is left out is counted in BlockTrace::dropped.
// Counts are not concerned.
constexpr std::uint64_t kMaxFollowedEvents = 12'000'000;

class GridFold {
 public:
  // `launch` must outlive the fold: its followed block is filled in. Touches are kept for the global views
  // with at most kMaxKeptElements elements. The L2 is shared by the launches of one run.
  GridFold(Launch& launch, std::int64_t followed_block, CacheModel& l2, std::int64_t followed_warp = 0,
           std::uint64_t max_followed_events = kMaxFollowedEvents, Gpu gpu = {});
  // Static and dynamic shared memory of a block, which the L1 has to do without. Before the first block.
  void set_shared_bytes(std::int64_t bytes) { shared_bytes_ = bytes; }

  // The events of one block, one stream per thread. Blocks come in any order, each once.
  void add_block(std::int64_t block, std::span<const std::span<const Access>> threads,
                 std::span<const std::span<const Copy>> copies = {});

  const Counts& counts() const { return counts_; }
  std::uint64_t accesses() const { return accesses_; }
  // Warp instructions whose group of lanes is not the active mask that the GPU recorded.
  // Sectors that loads and stores moved between the modelled L1 and the L2.
  std::uint64_t l2_load_sectors() const { return feed_.load_sectors(); }
  std::uint64_t l2_store_sectors() const { return feed_.store_sectors(); }
  std::uint64_t mask_differences() const { return mask_differences_; }
  std::vector<Touch> take_touches() { return std::move(touches_); }

 private:
  std::vector<std::uint64_t> kept_events(std::span<const std::span<const Access>> threads) const;
  void keep_followed(std::span<const std::span<const Access>> threads,
                     std::span<const std::span<const Copy>> copies);
  void feed_followed();
  void touch(std::int64_t block, const WarpInstruction& instruction);

  Launch& launch_;
  std::int64_t followed_, followed_warp_;
  std::uint64_t max_followed_events_;
  Gpu gpu_;
  std::int64_t shared_bytes_ = 0;
  MemoryFeed feed_;
  Counts counts_;
  std::uint64_t accesses_ = 0, mask_differences_ = 0;
  WarpFold fold_;
  std::vector<Touch> touches_;
  std::vector<int> touch_of_view_;            // view id -> index in touches_, -1 without
  std::vector<std::uint32_t> element_bytes_;  // view id -> bytes
};

}  // namespace lockstep
