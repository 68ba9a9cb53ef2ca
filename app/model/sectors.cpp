// Global memory moves in sectors of 32 bytes. One warp instruction is one request, whatever its width
// (checked on an H200 against l1tex__t_sectors / t_requests_pipe_lsu_mem_global_op_ld/st for the same maps as
// banks.cpp).
#include <bit>

#include "fold.hpp"

namespace lockstep {

int sector_list(std::uint32_t lanes, const std::array<std::uint32_t, kWarpSize>& offset, int width,
                std::array<std::uint32_t, 2 * kWarpSize>& sectors) {
  int n = 0;
  bool ascending = true;
  const auto add = [&](std::uint32_t sector) {
    if (n && sectors[n - 1] == sector) return;
    if (n && sectors[n - 1] > sector) ascending = false;
    sectors[n++] = sector;
  };
  for (std::uint32_t rest = lanes; rest; rest &= rest - 1) {
    const std::uint32_t first = offset[std::countr_zero(rest)];
    add(first / 32);
    if (const std::uint32_t last = (first + width - 1) / 32; last != first / 32) add(last);
  }
  if (ascending) return n;
  std::sort(sectors.begin(), sectors.begin() + n);
  return int(std::unique(sectors.begin(), sectors.begin() + n) - sectors.begin());
}

int global_sectors(std::uint32_t lanes, const std::array<std::uint32_t, kWarpSize>& offset, int width) {
  std::array<std::uint32_t, 2 * kWarpSize> sectors;
  return sector_list(lanes, offset, width, sectors);
}

// Lanes that want the same address take turns: the first of each address, then the second ... A sector counts
// in each turn that has a lane in it (l1tex__t_sectors_pipe_lsu_mem_global_op_red on an H100, rungs of the
// ladder scatter: exact in most settings, else up to 0.7 % too few).
static int reduction_sectors(const WarpInstruction& i) {
  std::array<std::uint64_t, kWarpSize> turns;  // sector and turn of each lane
  int count = 0;
  for (std::uint32_t rest = i.lanes; rest; rest &= rest - 1) {
    const auto lane = std::size_t(std::countr_zero(rest));
    std::uint64_t turn = 0;
    for (std::uint32_t before = i.lanes & ((1u << lane) - 1); before; before &= before - 1)
      turn += i.offset[std::size_t(std::countr_zero(before))] == i.offset[lane];
    turns[std::size_t(count++)] = turn << 32 | i.offset[lane] / 32;
  }
  std::sort(turns.begin(), turns.begin() + count);
  return int(std::unique(turns.begin(), turns.begin() + count) - turns.begin());
}

int requested_sectors(const WarpInstruction& i) {
  if (i.kind == Kind::reduction) return reduction_sectors(i);
  return i.copy.requested ? i.copy.requested : global_sectors(i.lanes, i.offset, i.width);
}

CopySectors copy_sectors(std::uint32_t lanes, const std::array<std::uint32_t, kWarpSize>& source,
                         const std::array<std::uint32_t, kWarpSize>& target) {
  std::array<std::uint64_t, kWarpSize> pairs;
  const auto distinct = [&](std::uint32_t unit) {
    int n = 0;
    for (std::uint32_t rest = lanes; rest; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      pairs[n++] = std::uint64_t{source[lane] / unit} << 32 | target[lane] / 32;
    }
    std::sort(pairs.begin(), pairs.begin() + n);
    return std::uint16_t(std::unique(pairs.begin(), pairs.begin() + n) - pairs.begin());
  };
  return {distinct(128), distinct(32)};
}

}  // namespace lockstep
