// A warp program of the SM model derived from what one warp did in a traced block. The trace knows every
// memory instruction, copy and barrier with its addresses, in the order of the source; it knows no
// arithmetic, no branches and no registers. What is put in their place stands with TraceAssumptions.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "run.hpp"
#include "scheduler.hpp"
#include "step_arithmetic.hpp"

namespace lockstep {

// What the trace cannot tell.
struct TraceAssumptions {
  // The first use of a load. All that is under way is used before a store and before a barrier; a line that
  // loads again waits until what it loaded so many visits before is used (its register is taken).
  int in_flight = 2;
  // Multiply-adds of the warp, over the whole trace: spread evenly over its loads from shared memory, where
  // it has none over those from global memory. They stand where the load is used, in `in_flight` chains.
  double fmas = 0;
  // Where units do a part of the work: stands where its step begins.
  std::vector<StepArithmetic> steps = {};
};

// Address arithmetic, branches, loop counters, conversions and the waits of shuffles are left out (a warp
// collective is one issue slot). How far its cycles are from a GPU's is not known.
struct TracedProgram {
  BlockProgram block;  // marks of each program: its first and its last instruction
  int warps_per_block = 1;
  int most_warps = 64;   // that an SM has room for, where units work for them
  int instructions = 0;  // of the trace: accesses, copies, barriers and collectives of the warps played
  int taken = 0;         // that stand in the programs; fewer where one would be longer than kMostTraced
  int fmas = 0;          // and other arithmetic, that were put between them
  bool empty() const { return block.empty(); }
  const WarpProgram& program() const { return block.programs.front(); }
};
constexpr int kMostTraced = 4096;    // instructions of a program,
constexpr int kMoreThanTraced = 64;  // and at most so many that belong to the last one

// Whether units do a part of the launch's work: then its warps have programs of their own.
bool has_units(const Launch& launch);
// Of a warp of the launch's followed block; of all its warps where units work for it. Empty where the trace
// holds nothing of them.
TracedProgram traced_program(const Launch& launch, std::uint32_t warp, const TraceAssumptions& assumptions);

// Programs as text, and back; nothing where the text is damaged.
std::string program_text(const BlockProgram& block);
std::optional<BlockProgram> read_program(const std::string& text);

// Whole blocks alone fit an SM: as many warps as were asked for, or up to a block more, where they have room.
constexpr int kMostWarpsPerSm = 64;
int warps_in_blocks(int warps, int warps_per_block);

}  // namespace lockstep
