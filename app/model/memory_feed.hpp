// Feeds the global accesses of a grid to the cache models, block by block: each block starts with an empty
// L1, so that blocks may be fed beside each other; what misses there goes to the L2, which the launches of a
// run share and which is asked in the order of the blocks.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "cache.hpp"
#include "fold.hpp"

namespace lockstep {

// What an access asks of the L2: sectors of one 128-byte line.
struct L2Request {
  std::uint32_t line = 0;
  std::uint16_t view = 0;
  std::uint8_t sectors = 0;  // a bit each
  bool store = false;
};
// Asks it; returns for how many sectors HBM is concerned.
inline int ask(CacheModel& l2, const L2Request& r) {
  return r.store ? l2.store(r.view, r.line, r.sectors) : l2.load(r.view, r.line, r.sectors);
}

// The L1 of one block after the other. What each asks of the L2 is left in requests().
class MemoryFeed {
 public:
  void begin_block(CacheShape l1);
  // At once: for the followed block, in the order of its steps. Returns the sectors that the L2 gives or
  // takes.
  std::uint32_t feed(const WarpInstruction& instruction);
  // Later, in feed_waiting(): warp after warp in program order. There the warps of the block advance
  // together, one global access each in turn, and wait for each other at barriers.
  void add(const WarpInstruction& instruction);
  void feed_waiting();

  // Of this block, in order.
  std::vector<L2Request>& requests() { return requests_; }
  // Of this block's loads and stores. Atomics are left out, as they are from their counts.
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
  std::uint32_t feed(const Access& access);
  std::uint32_t feed(const Access& access, const Line& line);

  std::optional<L1Model> l1_;
  CacheShape l1_shape_;
  std::vector<Access> waiting_;
  std::vector<Line> lines_;
  std::vector<L2Request> requests_;
  std::uint64_t load_sectors_ = 0, store_sectors_ = 0;
};

}  // namespace lockstep
