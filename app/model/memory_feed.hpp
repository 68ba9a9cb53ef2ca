// Feeds the global accesses of a grid to the cache models, block by block: each block starts with an empty
// L1; what misses there goes to the L2, which the launches of a run share.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "cache.hpp"
#include "fold.hpp"

namespace lockstep {

// What one warp instruction moved: between L1 and L2, between L2 and HBM.
struct MovedSectors {
  std::uint32_t l2 = 0, hbm = 0;
};

class MemoryFeed {
 public:
  explicit MemoryFeed(CacheModel& l2) : l2_(l2) {}
  void begin_block(CacheShape l1);
  // At once: for the followed block, in the order of its steps.
  MovedSectors feed(const WarpInstruction& instruction);
  // Later, in feed_waiting(): warp after warp in program order. There the warps of the block advance
  // together, one global access each in turn, and wait for each other at barriers.
  void add(const WarpInstruction& instruction);
  void feed_waiting();

  // Of all loads and stores so far. Atomics are left out, as they are from the counts.
  std::uint64_t load_sectors() const { return load_sectors_; }
  std::uint64_t store_sectors() const { return store_sectors_; }

 private:
  struct Access {
    std::uint32_t warp, interval;
    std::uint32_t first, count;  // in lines_
    std::uint16_t view;
    Kind kind;
    std::uint32_t copied;  // sectors that a cp.async of 16 bytes fetches, around L1; 0 = not such a copy
  };
  // What an access touches of a 128-byte line.
  struct Line {
    std::uint32_t number;
    unsigned sectors;                                       // a bit each
    std::array<std::uint32_t, CacheShape::kSectors> bytes;  // written, a bit each
  };
  Access access_of(const WarpInstruction& instruction);
  MovedSectors feed(const Access& access);
  MovedSectors feed(const Access& access, const Line& line);

  CacheModel& l2_;
  std::optional<L1Model> l1_;
  CacheShape l1_shape_;
  std::vector<Access> waiting_;
  std::vector<Line> lines_;
  std::uint64_t load_sectors_ = 0, store_sectors_ = 0;
};

}  // namespace lockstep
