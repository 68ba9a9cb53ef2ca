// What the lanes of a warp did together: the unit of counts, steps and pictures.
#pragma once
#include <array>
#include <cstdint>

#include "event.hpp"

namespace lockstep {

constexpr int kWarpSize = 32;

// A cp.async of 16 bytes goes around L1, and what it costs hangs on where it writes (fitted on an H200: every
// row of assets/recordings/h200/validation.json). The profiler's l1tex__t_sectors counts the pairs of a
// 128-byte line that is read and a 32-byte block of shared memory that is written; L2 sends a sector once for
// each block that it goes to (l1tex__m_xbar2l1tex_read_sectors).
struct CopySectors {
  std::uint16_t requested = 0, fetched = 0;  // 0: not such a copy
};

// One warp instruction: what up to 32 lanes did at one site at the same visit.
struct WarpInstruction {
  std::uint32_t interval = 0;    // barriers that this warp has passed before
  std::uint32_t collective = 0;  // warp collectives passed within the interval
  std::uint32_t visit = 0;       // how often this site was reached before, within the interval
  std::uint32_t iteration = 0;   // as marked by the kernel, 0 without marks
  std::uint32_t warp = 0;
  std::uint32_t position = 0;  // in the stream of the first lane
  std::uint16_t file = 0, line = 0, view = 0;
  std::uint8_t width = 0;
  Kind kind = Kind::load;
  std::uint32_t lanes = 0;     // mask of lanes in this group
  std::uint32_t gpu_mask = 0;  // active mask that the GPU recorded; 0 from the emulator
  std::uint32_t clock = 0;     // of the first lane
  std::uint8_t asked_by = 0;   // of what a unit does: the lane that told it to
  CopySectors copy;            // of a cp.async of 16 bytes; of a box where it lands, what comes for it
  std::array<std::uint32_t, kWarpSize>
      offset{};  // bytes from the start of the view, valid where lanes is set
};

}  // namespace lockstep
