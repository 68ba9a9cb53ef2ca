// What the warps of a traced block issue, and for how many of their lanes: a slot for each instruction that a
// lane of the warp is active in. The trace knows accesses, barriers and what kernels say of their arithmetic
// (Kind::arithmetic); branches, addresses and loop counters are not in it and are left out.
#pragma once
#include <cstdint>
#include <vector>

#include "fold.hpp"
#include "run.hpp"
#include "scheduler.hpp"

namespace lockstep {

// One instruction of a warp, or so many in a row for the same lanes.
struct IssueStep {
  WarpInstruction instruction;
  std::int64_t slots = 1;
  std::int64_t first = 0;  // of the warp's slots: the one that it begins with
  int lanes() const;
  bool arithmetic() const { return instruction.kind == Kind::arithmetic; }
};

struct WarpIssue {
  std::uint32_t warp = 0;
  std::uint32_t threads = 0;  // lanes that exist
  std::vector<IssueStep> steps;
  std::int64_t slots = 0, lane_slots = 0;  // lane_slots: of them, times the lanes that work in it
  // Of the lanes that 32 of them could have had.
  double efficiency() const { return slots ? double(lane_slots) / (32.0 * double(slots)) : 0; }
};

// By warp, of the launch's followed block; empty where nothing of it is traced.
std::vector<WarpIssue> issue_of(const Launch& launch);

// The arithmetic of a warp as the SM's model plays it: each instruction needs the last one that any of its
// lanes made. Nothing that waits for memory is in it.
WarpProgram arithmetic_program(const WarpIssue& warp);

}  // namespace lockstep
