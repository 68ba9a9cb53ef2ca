// Per-thread access streams -> warp instructions -> the profiler's counts, and their canonical order.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "event.hpp"
#include "run.hpp"
#include "units.hpp"
#include "warp_instruction.hpp"

namespace lockstep {

CopySectors copy_sectors(std::uint32_t lanes, const std::array<std::uint32_t, kWarpSize>& source,
                         const std::array<std::uint32_t, kWarpSize>& target);

using LaneStreams = std::array<std::span<const Access>, kWarpSize>;

// Calls emit(WarpInstruction&) once per warp instruction of one warp, barriers included, in program order of
// the lowest lane. Groups lanes by (interval, collective, site, iteration, visit).
// In which order a warp issues instructions that not all of its lanes have: each lane's in their own order,
// so one of several lanes when it is the next of each of them. Of those that may come, the one whose first
// lane has come furthest the least; where lanes contradict each other, that one too.
class IssueOrder {
 public:
  // The next instruction; `order`: where it stands among those of its first lane.
  void add(std::uint32_t order) { instructions_.push_back({order, 0, false}); }
  void add_lane(int lane, std::uint32_t order) {
    of_lane_[std::size_t(lane)].push_back({order, std::uint32_t(instructions_.size() - 1)});
    ++instructions_.back().missing;
  }
  std::vector<std::uint32_t> ordered();  // instructions by the number of their add()

 private:
  struct Instruction {
    std::uint32_t order;
    std::uint32_t missing;  // lanes that have not come to it
    bool issued;
  };
  std::vector<Instruction> instructions_;
  std::array<std::vector<std::pair<std::uint32_t, std::uint32_t>>, kWarpSize> of_lane_;
};

class WarpFold {
 public:
  template <class F>
  void fold(std::uint32_t warp, const LaneStreams& lanes, F&& emit);

 private:
  template <class F>
  void fold_pieces(std::uint32_t warp, const LaneStreams& lanes, F&& emit);
  struct Site {
    std::uint64_t key;
    std::uint32_t visits;
  };
  std::vector<Site> sites_;
  UnitAccesses units_;
  // Where a piece of the lanes' streams begins: what they have passed before.
  struct Places {
    std::uint32_t interval = 0, collective = 0;
    std::array<std::uint32_t, kWarpSize> iteration{}, position{},
        order{};  // order: events but for iterations
  };
  // Of each lane: interval, collective within it.
  using Meetings = std::array<std::pair<std::uint32_t, std::uint32_t>, kWarpSize>;
  static LaneStreams next_piece(const LaneStreams& lanes, Places& at, const Meetings& met);
  bool aligned(const LaneStreams& lanes) const;
  bool alike(const LaneStreams& piece, const Places& at) const;
  template <class F>
  void fold_aligned(std::uint32_t warp, const LaneStreams& lanes, const Places& at, F&& emit);
  template <class F>
  void fold_general(std::uint32_t warp, const LaneStreams& lanes, const Places& at, F&& emit);
  std::uint32_t visit(std::uint64_t site);
  std::uint32_t visits(std::uint64_t site) const;  // so far
};

// --- costs of one warp instruction ------------------------------------------------------------------------

// Wavefronts of a shared-memory access: passes of the 32 banks x 4 bytes. Rules fitted on an H200, see
// banks.cpp.
int shared_wavefronts(std::uint32_t lanes, const std::array<std::uint32_t, kWarpSize>& offset, int width,
                      bool store);
// The fewest wavefronts that any addresses could take with this width and these lanes, each lane its own
// element.
int fewest_wavefronts(std::uint32_t lanes, int width, bool store);
// The wavefront that serves each lane, from 0; kNoWavefront for inactive lanes. Within a bank the lanes are
// taken in their order: how many wavefronts there are is the hardware's, which lane is in which is a
// convention of ours.
constexpr std::uint8_t kNoWavefront = 0xff;
std::array<std::uint8_t, kWarpSize> wavefront_of_lanes(std::uint32_t lanes,
                                                       const std::array<std::uint32_t, kWarpSize>& offset,
                                                       int width, bool store);
// Lane x bank as text: 32 lines of 32 characters, '.' or the wavefront as a digit of base 32 (0 to 9, a to
// v).
std::string bank_map_text(std::uint32_t lanes, const std::array<std::uint32_t, kWarpSize>& offset, int width,
                          bool store);
// Distinct 32-byte sectors. The view's start is taken to be 32-byte aligned (cudaMalloc aligns to 256).
int global_sectors(std::uint32_t lanes, const std::array<std::uint32_t, kWarpSize>& offset, int width);
// Sectors that a global access asks of L1, as the profiler counts them.
int requested_sectors(const WarpInstruction& instruction);
// The distinct sector numbers themselves, ascending.
int sector_list(std::uint32_t lanes, const std::array<std::uint32_t, kWarpSize>& offset, int width,
                std::array<std::uint32_t, 2 * kWarpSize>& sectors);

void add_to(Counts& counts, const WarpInstruction& instruction);

struct Span {
  std::int64_t first = 0, count = 0;
  std::int64_t last() const { return first + count - 1; }
  bool holds(std::int64_t i) const { return i >= first && i < first + count; }
  bool operator==(const Span&) const = default;
};

// The instructions of one block in canonical order (memory_axis.hpp), barriers and collectives included.
std::vector<WarpInstruction> block_instructions(const BlockTrace& trace);
// Those that move data.
std::vector<WarpInstruction> canonical_instructions(const BlockTrace& trace);
// Those of one warp in the order in which its lowest lane came to them, barriers and collectives included.
std::vector<WarpInstruction> warp_instructions(const BlockTrace& trace, std::uint32_t warp);

// Equality of two blocks' streams: thread by thread after sorting by (interval, site, visit), clocks and
// masks aside. Returns "" when equal, else a sentence with the first difference. `as_far_as_both`: one may
// have gone further, and what the other did is among its own.
std::string stream_difference(const BlockTrace& a, const BlockTrace& b, bool as_far_as_both = false);

}  // namespace lockstep

#include "fold.inl"
