#include "issue.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace lockstep {

int IssueStep::lanes() const { return std::popcount(instruction.lanes); }

std::vector<WarpIssue> issue_of(const Launch& launch) {
  const BlockTrace& trace = launch.trace;
  const std::size_t threads = trace.begin.empty() || trace.events.empty() ? 0 : trace.begin.size() - 1;
  std::vector<WarpIssue> all;
  for (std::uint32_t w = 0; w * kWarpSize < threads; ++w) {
    WarpIssue& warp = all.emplace_back();
    const auto lanes = std::min<std::size_t>(kWarpSize, threads - w * kWarpSize);
    warp.warp = w, warp.threads = lanes == kWarpSize ? ~0u : (1u << lanes) - 1;
    for (const WarpInstruction& i : warp_instructions(trace, w)) {
      if (i.kind == Kind::copy_issue) continue;  // the reading half of a copy
      IssueStep step{i, 1, warp.slots};
      if (step.arithmetic()) step.slots = i.offset[std::size_t(std::countr_zero(i.lanes))];
      warp.slots += step.slots, warp.lane_slots += step.slots * step.lanes();
      warp.steps.push_back(step);
    }
  }
  return all;
}

WarpProgram arithmetic_program(const WarpIssue& warp) {
  constexpr std::size_t kMost = UINT16_MAX;  // how far back an instruction can point
  WarpProgram program;
  std::array<std::size_t, kWarpSize> last{};  // of each lane: one past its last instruction, 0 for none
  for (const IssueStep& step : warp.steps) {
    if (!step.arithmetic()) continue;
    for (std::int64_t k = 0; k < step.slots && program.instructions.size() < kMost; ++k) {
      const std::size_t here = program.instructions.size();
      std::size_t before = 0;
      for (std::uint32_t rest = step.instruction.lanes; rest; rest &= rest - 1) {
        std::size_t& of_lane = last[std::size_t(std::countr_zero(rest))];
        before = std::max(before, of_lane), of_lane = here + 1;
      }
      SmInstruction made;
      made.op = Op::fma, made.line = step.instruction.line;
      made.needs[0] = std::uint16_t(before ? here - (before - 1) : 0);
      program.instructions.push_back(made);
    }
  }
  if (!program.instructions.empty()) program.marks = {0, int(program.instructions.size()) - 1};
  return program;
}

}  // namespace lockstep
