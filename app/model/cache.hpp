// Models of the two caches between an SM and HBM, for the bytes that cross on either side of the L2. Blocks
// are fed one after another, as the emulator runs them; a real GPU runs many at once, so these are models and
// are labelled so. Both are sectored, set-associative and forget the least recently used line.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "gpu.hpp"
#include "provenance.hpp"

namespace lockstep {

// Bytes read from HBM against the H200's dram__bytes_read counter, cold L2, every rung of the transpose
// ladder: within 10 % from buffers of 64 KB on, 3 % from 256 KB, 0.2 % from 4 MB
// (assets/recordings/h200/validation.json; a test holds it for every ladder). HBM gives two sectors at a
// time: of floats 64 bytes apart, each in a sector of its own, the counter reads 1,789,440 bytes where those
// sectors are 893,344. Below 64 KB the kernel's own code and parameters, which the model leaves out, weigh
// more than the data: unrolled products are up to 16 KB of it.
constexpr double kCacheModelError = 0.10;
constexpr std::uint64_t kUnmodelledCodeBytes = 16 << 10;
constexpr std::uint64_t kCacheModelErrorFromBytes = 64 << 10;
// Of the bytes that are read. What a store writes is an upper bound: its bytes stay in the L2 until it needs
// the room (dram__bytes_write of a small kernel is 0).
Provenance cache_model_provenance(std::uint64_t input_bytes);

// Sectors that loads bring from the L2 into the SMs, against the H200's l1tex__m_xbar2l1tex_read_sectors for
// matrix products and stencils (assets/recordings/h200/l1.json; a test holds it): a naive 1024^3 product in
// blocks of 16 x 16 asks for 4.3 GB, the SMs receive 525 MB, the model says 537 MB. The L2's own counter
// (lts__t_sectors_srcunit_tex_op_read) says less, 491 to 510 MB: SMs that want a sector at the same time
// share one read of it. Where a block comes back to about as much as its share of the L1 holds, a pure LRU is
// sharper than the hardware: up to 20 % there. Stores all go through; an H200 may merge sectors that several
// instructions write in parts (216,051 where 524,288 were stored), so theirs is an upper bound.
// Ladders name the rungs that err by more (Ladder::l1_errors).
constexpr double kL1ModelError = 0.06;

struct CacheShape {
  std::uint64_t bytes = std::uint64_t(Gpu{}.l2_bytes);
  int ways = Gpu{}.l2_ways;
  static constexpr int kLineBytes = 128, kSectorBytes = 32, kSectors = kLineBytes / kSectorBytes;
};
CacheShape l2_shape(const Gpu& gpu);
// One block's share of its SM's L1: what the shared memory of the blocks that an SM can hold leaves of the
// array, divided by the blocks that it does hold in a grid of `blocks`. (Registers, which may allow fewer,
// are not known to the emulator.)
CacheShape l1_share(const Gpu& gpu, int threads, std::int64_t shared_bytes, std::int64_t blocks);

// Lines of a cache by their tag; 0 is no tag. Line has `tag` and `used` and starts empty.
template <class Line>
class CacheLines {
 public:
  explicit CacheLines(CacheShape shape)
      : ways_(shape.ways),
        sets_(std::max<std::uint64_t>(1, shape.bytes / CacheShape::kLineBytes / std::uint64_t(shape.ways))),
        lines_(sets_ * std::uint64_t(shape.ways)) {}
  // The line with this tag, or the least recently used one of its set, emptied. `hash` chooses the set.
  Line& find(std::uint64_t tag, std::uint64_t hash) {
    Line* const first = &lines_[hash % sets_ * std::uint64_t(ways_)];
    Line* oldest = first;
    for (Line* line = first; line != first + ways_; ++line) {
      if (line->tag == tag) return used(*line);
      if (line->tag == 0 || (oldest->tag != 0 && line->used < oldest->used)) oldest = line;
    }
    *oldest = {};
    oldest->tag = tag;
    return used(*oldest);
  }
  void clear() { std::fill(lines_.begin(), lines_.end(), Line{}); }

 private:
  Line& used(Line& line) {
    line.used = ++clock_;
    return line;
  }
  int ways_;
  std::uint64_t sets_;
  std::vector<Line> lines_;
  std::uint32_t clock_ = 0;
};

// The L2: write-back, and a store never fetches.
class CacheModel {
 public:
  explicit CacheModel(CacheShape shape = {}) : lines_(shape) {}
  // Sectors of one 128-byte line of a buffer, a bit each. Returns for how many sectors HBM is concerned:
  // those that a load has to fetch, in pairs; those that a store makes dirty (they will be written back
  // once).
  int load(std::uint32_t buffer, std::uint32_t line, unsigned sectors);
  int store(std::uint32_t buffer, std::uint32_t line, unsigned sectors);
  // This buffer lies in the host's memory: what of it reaches the L2 goes over the link, and none of it to
  // HBM.
  void set_in_host(std::uint32_t buffer) { in_host_.push_back(buffer); }

  // Bytes fetched so far; bytes written back so far if everything dirty were flushed now.
  std::uint64_t fetched_bytes() const { return fetched_ * CacheShape::kSectorBytes; }
  std::uint64_t written_bytes() const { return dirtied_ * CacheShape::kSectorBytes; }

 private:
  struct Line {
    std::uint64_t tag = 0;
    std::uint32_t used = 0;
    std::uint8_t valid = 0, dirty = 0;  // one bit per sector
  };
  bool in_host(std::uint32_t buffer) const {
    return std::find(in_host_.begin(), in_host_.end(), buffer) != in_host_.end();
  }
  CacheLines<Line> lines_;
  std::vector<std::uint32_t> in_host_;
  std::uint64_t fetched_ = 0, dirtied_ = 0;
};

// One block's L1. Loads fetch the sectors that are missing. A store goes through to the L2 and leaves what it
// wrote in the L1, byte by byte: a load of a sector that stores have filled is a hit. (From Volta on,
// NVIDIA's tuning guides say, the L1 caches writes and is write-through; the bytes were seen on an H200,
// where a load after a store to the same bytes reads nothing from the L2.) An atomic is done in the L2 and
// the L1 forgets its sectors (seen there as well).
class L1Model {
 public:
  explicit L1Model(CacheShape shape) : lines_(shape) {}
  void clear() { lines_.clear(); }
  // Sectors of one line, a bit each. Returns those that the L2 has to give.
  unsigned load(std::uint32_t buffer, std::uint32_t line, unsigned sectors);
  // The bytes written in each sector of a line, a bit each.
  void store(std::uint32_t buffer, std::uint32_t line, const std::array<std::uint32_t, 4>& bytes);
  void forget(std::uint32_t buffer, std::uint32_t line, unsigned sectors);

 private:
  struct Line {
    std::uint64_t tag = 0;
    std::uint32_t used = 0;
    std::array<std::uint32_t, CacheShape::kSectors> bytes{};  // that are there
  };
  CacheLines<Line> lines_;
};

}  // namespace lockstep
