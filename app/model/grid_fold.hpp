// Folds a grid block by block as an engine delivers it: counts for the whole grid, the modelled caches, who
// touched what, and the followed block's events. One copy for the emulator and the GPU trace. What hangs on a
// block alone is folded by BlockFold, on any thread; what hangs on their order is put together by GridFold.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
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

// One warp instruction on global memory.
struct GlobalAccess {
  std::uint32_t lanes = 0;
  std::uint32_t first = 0;  // of the offsets of its lanes, ascending, in FoldedBlock::offsets
  std::uint16_t view = 0, line = 0, warp = 0;
  std::uint8_t width = 0;
  Kind kind = Kind::load;
  std::uint8_t asked_by = 0;  // of a unit's access: the lane
};

// What is left of a block's events when they are folded: of each block by itself, whatever others did.
struct FoldedBlock {
  std::int64_t block = 0;
  Counts counts;
  std::uint64_t accesses = 0, mask_differences = 0;
  std::uint64_t l2_load_sectors = 0, l2_store_sectors = 0;
  std::vector<L2Request> requests;  // of the L1, in order
  std::vector<GlobalAccess> global;
  std::vector<std::uint32_t> offsets;  // bytes from the start of the view
  std::optional<BlockTrace> trace;     // of the followed block
  bool in_step_order = false;          // its requests are made later, step by step
  std::int64_t shared_bytes = 0;
  void clear();
};

// A block read what another one of the grid had written before: what comes out hangs on the order in which
// blocks run, which on a GPU is no particular one. Atomics that meet are no such thing.
struct SeenWrite {
  std::int64_t reader_block = 0, writer_block = 0;
  int reader_line = 0, writer_line = 0;
};

class GridFold;

// Folds blocks of one grid, one at a time. Several do so beside each other.
class BlockFold {
 public:
  explicit BlockFold(const GridFold& grid) : grid_(&grid) {}
  // The events of one block, one stream per thread. `shared_bytes`: static and dynamic, which the L1 has to
  // do without. `folded` is overwritten.
  void fold(std::int64_t block, std::span<const std::span<const Access>> threads,
            std::span<const std::span<const Copy>> copies, std::int64_t shared_bytes, FoldedBlock& folded);

 private:
  const GridFold* grid_;
  WarpFold fold_;
  MemoryFeed feed_;
};

class GridFold {
 public:
  // `launch` must outlive the fold: its followed block is filled in. Touches are kept for the global views
  // with at most kMaxKeptElements elements. The L2 is shared by the launches of one run.
  GridFold(Launch& launch, std::int64_t followed_block, CacheModel& l2, std::int64_t followed_warp = 0,
           std::uint64_t max_followed_events = kMaxFollowedEvents, Gpu gpu = {});
  // Static and dynamic shared memory of a block, for add_block(). Before the first block.
  void set_shared_bytes(std::int64_t bytes) { shared_bytes_ = bytes; }

  // The events of one block, one stream per thread. Blocks come in order, each once.
  void add_block(std::int64_t block, std::span<const std::span<const Access>> threads,
                 std::span<const std::span<const Copy>> copies = {});
  // The same of a block that a BlockFold of this grid has folded.
  void add(FoldedBlock& folded);

  const Counts& counts() const { return counts_; }
  std::uint64_t accesses() const { return accesses_; }
  // Sectors that loads and stores moved between the modelled L1 and the L2.
  std::uint64_t l2_load_sectors() const { return l2_load_sectors_; }
  std::uint64_t l2_store_sectors() const { return l2_store_sectors_; }
  // Warp instructions whose group of lanes is not the active mask that the GPU recorded. At a barrier lanes
  // may arrive one after another.
  std::uint64_t mask_differences() const { return mask_differences_; }
  // The first one in the views whose touches are kept.
  const std::optional<SeenWrite>& seen_write() const { return seen_write_; }
  std::vector<Touch> take_touches() { return std::move(touches_); }

 private:
  friend class BlockFold;
  std::vector<std::uint64_t> kept_events(std::span<const std::span<const Access>> threads) const;
  BlockTrace followed_trace(std::span<const std::span<const Access>> threads,
                            std::span<const std::span<const Copy>> copies) const;
  CacheShape l1_of(std::size_t threads, std::int64_t shared_bytes) const;
  void feed_followed(std::int64_t shared_bytes);
  void touch(const FoldedBlock& folded, const GlobalAccess& access);
  void draw(std::int64_t block, std::uint16_t view, std::uint64_t element);
  bool was_told(std::int64_t reader, std::int64_t writer) const;

  Launch& launch_;
  CacheModel& l2_;
  std::int64_t followed_, followed_warp_;
  std::uint64_t max_followed_events_;
  Gpu gpu_;
  std::int64_t shared_bytes_ = 0;
  Counts counts_;
  std::uint64_t accesses_ = 0, mask_differences_ = 0, l2_load_sectors_ = 0, l2_store_sectors_ = 0;
  std::vector<Touch> touches_;
  std::optional<SeenWrite> seen_write_;
  // Atomics whose result was asked for: element, block. No more than kMostDrawn are kept.
  static constexpr std::size_t kMostDrawn = 1 << 20;
  std::set<std::pair<std::uint64_t, std::int64_t>> drawn_;
  std::map<std::int64_t, std::vector<std::uint64_t>> drawn_by_;
  std::vector<int> touch_of_view_;            // view id -> index in touches_, -1 without
  std::vector<std::uint32_t> element_bytes_;  // view id -> bytes
  BlockFold fold_{*this};                     // of add_block()
  FoldedBlock folded_;
};

}  // namespace lockstep
