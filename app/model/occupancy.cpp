#include "occupancy.hpp"

#include <algorithm>

namespace lockstep {
namespace {

constexpr int kWarp = 32;

template <class T>
T rounded_up(T value, T unit) {
  return (value + unit - 1) / unit * unit;
}

// Each sub-core gives registers to its own warps. Whether a block fits at all is judged as if its warps
// filled every sub-core alike.
int blocks_by_registers(const Gpu& gpu, const BlockNeeds& needs) {
  if (needs.registers == 0) return kNoLimit;
  if (needs.registers > gpu.max_registers_per_thread) return 0;
  const int per_warp = allocated_registers(gpu, needs.registers);
  if (per_warp * rounded_up(warps_of(needs), gpu.warp_granularity) > gpu.registers_per_sm) return 0;
  return warps_by_registers(gpu, needs.registers) / std::max(1, warps_of(needs));
}

int blocks_by_shared(const Gpu& gpu, const BlockNeeds& needs) {
  if (needs.shared_bytes > gpu.shared_bytes_per_block) return 0;
  const std::int64_t per_block = allocated_shared_bytes(gpu, needs.shared_bytes);
  return per_block == 0 ? kNoLimit : int(gpu.shared_bytes_per_sm / per_block);
}

// The blocks fall as `value` grows, so the ends of this step are found by halving.
template <class F>
NextStep next_step(std::int64_t value, std::int64_t least, std::int64_t most, F blocks_at) {
  const int now = blocks_at(value);
  const auto furthest = [&](std::int64_t from, std::int64_t to) {  // that is still like `value`
    while (from != to) {
      const std::int64_t half = from + (to - from + (to > from ? 1 : -1)) / 2;
      if (blocks_at(half) == now)
        from = half;
      else
        to = half + (to > from ? -1 : 1);
    }
    return from;
  };
  NextStep next;
  if (const std::int64_t down = furthest(value, least); down > least)
    next.fewer = {down - 1, blocks_at(down - 1)};
  if (const std::int64_t up = furthest(value, most); up < most) next.more = {up + 1, blocks_at(up + 1)};
  return next;
}

}  // namespace

int warps_of(const BlockNeeds& needs) { return (needs.threads + kWarp - 1) / kWarp; }

int warps_by_registers(const Gpu& gpu, int registers_per_thread) {
  if (registers_per_thread == 0) return kNoLimit;
  const int of_sub_core =
      gpu.registers_per_sm / gpu.warp_granularity / allocated_registers(gpu, registers_per_thread);
  return of_sub_core * gpu.warp_granularity;
}

int allocated_registers(const Gpu& gpu, int registers_per_thread) {
  return rounded_up(registers_per_thread * kWarp, gpu.register_unit);
}

std::int64_t allocated_shared_bytes(const Gpu& gpu, std::int64_t shared_bytes) {
  return rounded_up<std::int64_t>(shared_bytes + gpu.reserved_shared_bytes, gpu.shared_unit);
}

ResidentBlocks resident_blocks(const Gpu& gpu, const BlockNeeds& needs) {
  ResidentBlocks r;
  const int warps = std::max(1, warps_of(needs));
  r.by_warps = needs.threads > gpu.max_threads_per_block ? 0 : gpu.max_warps_per_sm / warps;
  r.by_blocks = gpu.max_blocks_per_sm;
  r.by_registers = blocks_by_registers(gpu, needs);
  r.by_shared = blocks_by_shared(gpu, needs);
  r.blocks = std::min({r.by_warps, r.by_blocks, r.by_registers, r.by_shared});
  r.warps = r.blocks * warps;
  r.fraction = double(r.warps) / gpu.max_warps_per_sm;
  return r;
}

NextStep next_by_threads(const Gpu& gpu, const BlockNeeds& needs) {
  return next_step(needs.threads, 1, gpu.max_threads_per_block, [&](std::int64_t threads) {
    return resident_blocks(gpu, {int(threads), needs.registers, needs.shared_bytes}).blocks;
  });
}

NextStep next_by_registers(const Gpu& gpu, const BlockNeeds& needs) {
  return next_step(needs.registers, 1, gpu.max_registers_per_thread, [&](std::int64_t registers) {
    return resident_blocks(gpu, {needs.threads, int(registers), needs.shared_bytes}).blocks;
  });
}

NextStep next_by_shared(const Gpu& gpu, const BlockNeeds& needs) {
  return next_step(needs.shared_bytes, 0, gpu.shared_bytes_per_block, [&](std::int64_t bytes) {
    return resident_blocks(gpu, {needs.threads, needs.registers, bytes}).blocks;
  });
}

}  // namespace lockstep
