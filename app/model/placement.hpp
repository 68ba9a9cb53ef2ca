// Which SM runs which block when: as blocks noted it down on a GPU, or as a model of the hardware's
// distributor has it. Plain data; the same input gives the same places.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu.hpp"
#include "occupancy.hpp"

namespace lockstep {

struct PlacedBlock {
  int sm = 0;
  int slot = 0;                     // the warp slot of its first warp; 0 in a model
  std::int64_t begin = 0, end = 0;  // ns, since the first block began
  bool at(std::int64_t ns) const { return begin <= ns && ns < end; }
  bool operator==(const PlacedBlock&) const = default;
};

struct Placement {
  std::vector<PlacedBlock> blocks;  // by number
  bool operator==(const Placement&) const = default;
};

// "sm,slot,begin,end;" per block, and back; nothing where the text is damaged.
std::string placement_text(const Placement& placement);
std::optional<Placement> read_placement(std::string_view text);

// A place on its SM is taken by one block after the other: the n-th of its place is of wave n. Which place:
// the lowest that is free when it begins.
struct Seat {
  int place = 0, wave = 0;
  bool operator==(const Seat&) const = default;
};
std::vector<Seat> seats_of(const Placement& placement);

struct PlacementFigures {
  std::int64_t span_ns = 0;     // from the first begin to the last end
  std::int64_t tail_ns = 0;     // of it, since the first SM had run all of its blocks
  std::int64_t first_wave = 0;  // blocks that began before any block ended
  std::int64_t most_at_once = 0;
  std::int64_t most_on_one_sm = 0;
  std::int64_t waves = 0;
  std::int64_t sms = 0;  // that ran a block
  double busy = 0;       // share of the places that most_at_once makes, over the span
};
PlacementFigures figures_of(const Placement& placement);

// SMs that were seen in one cluster share a GPC; those that share one SM with another do so as well. Blocks
// of a cluster follow one another. Groups and their members are in ascending order.
std::vector<std::vector<int>> groups_of(const Placement& placement, int cluster);
// Of the same chip, by two launches.
std::vector<std::vector<int>> joined_groups(const std::vector<std::vector<int>>& a,
                                            const std::vector<std::vector<int>>& b);
std::string groups_text(const std::vector<std::vector<int>>& groups);  // "0,2,4;1,3"
std::optional<std::vector<std::vector<int>>> read_groups(std::string_view text);

// --- the model

// What a block's warps do: turns of a loop, each a chain of dependent FMAs.
struct TurnCost {
  double latency = 0;  // cycles of a turn for a warp that nobody disturbs
  double issue = 0;    // cycles for which it takes its scheduler's issue slot
};
// `fma_issue`: cycles of the issue slot that an FMA of three registers takes. Where warps take turns, an
// H200's micro/fma has 15.06 / 8 (assets/recordings/h200/scheduler_micro.json); one warp alone waits 4 for
// its result.
constexpr double kFmaIssue = 1.88;
TurnCost turn_cost(const Gpu& gpu, int fmas, double fma_issue = kFmaIssue);

struct PlacementSetting {
  BlockNeeds needs;
  std::vector<std::int64_t> turns;  // of each block
  TurnCost turn;
};
// Blocks go out in the order of their numbers, each to the SM with most room, of equals the first; later to
// the one where a block has ended. Schedulers serve the blocks that came first. Nothing where no block fits.
std::optional<Placement> modelled_placement(const Gpu& gpu, const PlacementSetting& setting);

}  // namespace lockstep
