// How many blocks of a kernel an SM holds at once, and what limits them: NVIDIA's own rules (CUDA Toolkit,
// cuda_occupancy.h), the answer of cudaOccupancyMaxActiveBlocksPerMultiprocessor.
#pragma once
#include <cstdint>
#include <optional>

#include "gpu.hpp"

namespace lockstep {

struct BlockNeeds {
  int threads = 1;                // per block
  int registers = 0;              // per thread; 0 = not known, and then no limit
  std::int64_t shared_bytes = 0;  // per block, static + dynamic
};

// Blocks that each resource alone would allow. Where a block does not fit at all it is 0.
struct ResidentBlocks {
  int by_warps = 0, by_blocks = 0, by_registers = 0, by_shared = 0;
  int blocks = 0, warps = 0;  // resident: the smallest of the four, and its warps
  double fraction = 0;        // of the warps that the SM can hold
  bool warps_bind() const { return by_warps == blocks; }
  bool blocks_bind() const { return by_blocks == blocks; }
  bool registers_bind() const { return by_registers == blocks; }
  bool shared_binds() const { return by_shared == blocks; }
};
constexpr int kNoLimit = 0x7fffffff;  // in ResidentBlocks: this resource is not used

ResidentBlocks resident_blocks(const Gpu& gpu, const BlockNeeds& needs);

// The nearest values of one resource at which an SM holds another number of blocks, all else unchanged.
struct NextStep {
  struct Place {
    std::int64_t value = 0;
    int blocks = 0;  // there
  };
  std::optional<Place> fewer, more;  // the largest value below, the smallest above; none up to the limits
};
// Of threads per block, registers per thread (1 up to the device's limits) and shared bytes per block (0 up).
NextStep next_by_threads(const Gpu& gpu, const BlockNeeds& needs);
NextStep next_by_registers(const Gpu& gpu, const BlockNeeds& needs);
NextStep next_by_shared(const Gpu& gpu, const BlockNeeds& needs);

// What the hardware sets aside: a warp's registers, a block's shared memory with what is reserved.
int allocated_registers(const Gpu& gpu, int registers_per_thread);
std::int64_t allocated_shared_bytes(const Gpu& gpu, std::int64_t shared_bytes);
// Warps of a block; part of a warp counts as one.
int warps_of(const BlockNeeds& needs);
// Warps that the registers of all sub-cores hold; each sub-core has its own share. kNoLimit without
// registers.
int warps_by_registers(const Gpu& gpu, int registers_per_thread);

}  // namespace lockstep
