// Steps that are memory accesses of the followed block: one per warp instruction or barrier, or one per
// wavefront. Coarser axes (groups.hpp, marks.hpp) are made of them.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "axis.hpp"
#include "fold.hpp"

namespace lockstep {

// A warp instruction of the followed block, or a barrier of all its warps.
struct Step {
  int launch = 0;
  std::uint32_t interval = 0;
  bool barrier = false;
  WarpInstruction instruction;                    // for a barrier: line and lanes of the first warp
  std::uint32_t l2_sectors = 0, hbm_sectors = 0;  // of BlockTrace, 0 for shared accesses
  int wavefronts = 0, sectors = 0;                // sectors: as the warp asks its L1 for them
  int wavefront = -1;  // the one of `wavefronts` that this step plays; -1 = the whole instruction
  // A coarse step: its share of the parts. `instruction` is then the first part's.
  std::uint32_t first_part = 0, part_count = 0;
};

// The followed block's accesses, folded once. Canonical order, the same for every engine: launch, barrier
// interval, site, visit, warp. Sites are ordered by the place of their line in the threads' streams; on one
// line loads come before stores (C++ leaves the order of operands open), then by view and width. Inside a
// phase order is not time.
std::vector<Step> memory_steps(const std::vector<Launch>& launches);

// An axis whose steps are made of memory accesses.
class AccessAxis : public Axis {
 public:
  std::vector<Step> steps;
  std::vector<Step> parts;  // of coarse steps: the accesses in the order of their steps. Else empty
  bool coarse = false;

  const std::vector<Step>& all_parts() const { return coarse ? parts : steps; }
  std::span<const Step> parts_of(int step) const {
    const Step& s = steps[std::size_t(step)];
    return coarse ? std::span(parts).subspan(s.first_part, s.part_count) : std::span(&s, 1);
  }
  const Step* at(int step) const {
    return step >= 0 && step < int(steps.size()) ? &steps[std::size_t(step)] : nullptr;
  }
};

enum class PlayedBy : std::uint8_t { instruction, wavefront };

class MemoryAxis final : public AccessAxis {
 public:
  MemoryAxis() = default;
  explicit MemoryAxis(const std::vector<Launch>& launches, PlayedBy played = PlayedBy::instruction);
  SourceLines lines(int step) const override;
};

// "write out", "copy into a_tile", "barrier": the words of such a step.
std::string access_words(const Launch& launch, const Step& step);

}  // namespace lockstep
