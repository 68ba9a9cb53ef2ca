// A warp program of the SM model derived from what one warp did in a traced block. The trace knows every
// memory instruction, copy and barrier with its addresses, in the order of the source; it knows no
// arithmetic, no branches and no registers. What is put in their place stands with TraceAssumptions.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "run.hpp"
#include "scheduler.hpp"

namespace lockstep {

// What the trace cannot tell.
struct TraceAssumptions {
  // The first use of a load. All that is under way is used before a store and before a barrier; a line that
  // loads again waits until what it loaded so many visits before is used (its register is taken).
  int in_flight = 2;
  // Multiply-adds of the warp, over the whole trace: spread evenly over its loads from shared memory, where
  // it has none over those from global memory. They stand where the load is used, in `in_flight` chains.
  double fmas = 0;
};

// Address arithmetic, branches, loop counters, conversions and the waits of shuffles are left out (a warp
// collective is one issue slot). How far its cycles are from a GPU's is not known.
struct TracedProgram {
  WarpProgram program;  // marks: its first and its last instruction
  int warps_per_block = 1;
  int instructions = 0;  // of the trace: accesses, copies, barriers and collectives of the warp
  int taken = 0;         // that stand in the program; fewer where it would be longer than kMostTraced
  int fmas = 0;          // that were put between them
};
constexpr int kMostTraced = 2048;    // instructions of a program,
constexpr int kMoreThanTraced = 64;  // and at most so many that belong to the last one

// Of a warp of the launch's followed block. Empty where the trace holds nothing of it.
TracedProgram traced_program(const Launch& launch, std::uint32_t warp, const TraceAssumptions& assumptions);

// A program as text, and back; nothing where the text is damaged.
std::string program_text(const WarpProgram& program);
std::optional<WarpProgram> read_program(const std::string& text);

// Whole blocks alone fit an SM: as many warps as were asked for, or up to a block more, where they have room.
constexpr int kMostWarpsPerSm = 64;
int warps_in_blocks(int warps, int warps_per_block);

}  // namespace lockstep
