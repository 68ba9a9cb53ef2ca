// What stands beside a run's occupancy: what the driver said of the launch, the kernel whose needs were
// loaded, where the number of blocks changes next.
#pragma once
#include <optional>

#include "evidence.hpp"
#include "occupancy.hpp"

namespace lockstep {

// By cudaOccupancyMaxActiveBlocksPerMultiprocessor and the compiler.
struct DriverEvidence {
  static const EvidenceKind kind;  // "driver.registers", …
  static std::optional<DriverEvidence> read(const Metrics& flat);
  Metrics flat() const;
  std::optional<std::int64_t> registers, shared_bytes, blocks_per_sm, warps_per_sm;
};

// What another lab's kernel needs, taken from one of its launches.
struct LoadedKernel {
  std::optional<std::int64_t> threads, registers, shared_bytes;
};

// The nearest values of one need at which an SM holds another number of blocks.
struct NextBlocks {
  std::optional<std::int64_t> fewer, fewer_blocks, more, more_blocks;
};
NextBlocks next_blocks(const NextStep& step);

struct OccupancyEvidence {
  static const EvidenceKind kind;  // "next.threads.fewer", "loaded.threads", …
  static std::optional<OccupancyEvidence> read(const Metrics& flat);
  Metrics flat() const;
  LoadedKernel loaded;
  NextBlocks threads, registers, shared_bytes;
};

}  // namespace lockstep
