// What the model of one SM says of a run's settings, what a GPU was recorded to take for the same, and the
// other lab's kernel that its warps run where the settings name one.
#pragma once
#include <array>
#include <optional>

#include "evidence.hpp"
#include "scheduler.hpp"

namespace lockstep {

struct PlayedKernel {
  std::optional<std::string> rung;      // "gemm/shared"
  std::optional<std::string> text;      // program_text() of what its warps run
  std::optional<BlockProgram> program;  // the same, read; nothing where the text is damaged
  std::optional<std::int64_t> warps, warps_per_block, most_warps, traced_instructions, taken_instructions,
      fmas;
};

struct SmEvidence {
  static const EvidenceKind kind;  // "model.cycles", "recorded.cycles", "played.rung", …
  static std::optional<SmEvidence> read(const Metrics& flat);
  Metrics flat() const;
  std::optional<std::int64_t> cycles;
  std::optional<double> ipc, issue_slots_used, eligible_warps;
  std::array<std::optional<double>, kWarpStates> stalls;  // shares
  std::optional<double> error;                            // of the cycles, against what a GPU took
  std::optional<std::int64_t> recorded_cycles;
  PlayedKernel played;
};

}  // namespace lockstep
