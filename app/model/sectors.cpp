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

// Within a sector lanes are taken together, in their order, until one wants an address that is taken already:
// it begins the sector's next turn, and each turn counts (of l1tex__t_sectors_pipe_lsu_mem_global_op_red on
// an H100, for the rungs scatter/edges and lanes: exact in 12 of 16 settings, else up to 0.6 % too few).
static int reduction_sectors(const WarpInstruction& i) {
  int sectors = 0;
  for (std::uint32_t left = i.lanes; left;) {
    const std::uint32_t sector = i.offset[std::size_t(std::countr_zero(left))] / 32;
    std::uint32_t taken = 0;  // words of it in this turn
    ++sectors;
    for (std::uint32_t rest = left; rest; rest &= rest - 1) {
      const std::uint32_t at = i.offset[std::size_t(std::countr_zero(rest))];
      if (at / 32 != sector) continue;
      left &= ~(rest & -rest);
      const std::uint32_t word = 1u << at % 32 / 4;
      if (taken & word) ++sectors, taken = 0;
      taken |= word;
    }
  }
  return sectors;
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
