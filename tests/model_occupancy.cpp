// Blocks per SM and what limits them.
#include <doctest/doctest.h>

#include "app/model/occupancy.hpp"

using namespace lockstep;

namespace {

constexpr std::int64_t KB = 1024;
const Gpu kHopper;  // an H200's limits are the H100's

}  // namespace

TEST_CASE("64 registers, 48 KB and 256 threads: 1024 threads by registers, 4 blocks by shared memory, 50 %") {
  const ResidentBlocks r = resident_blocks(kHopper, {256, 64, 48 * KB});
  CHECK(r.by_registers * 256 == 1024);
  CHECK(r.by_shared == 4);
  CHECK(r.blocks == 4);
  CHECK(r.fraction == 0.5);
  CHECK(r.registers_bind());
  CHECK(r.shared_binds());
  CHECK_FALSE(r.warps_bind());
  CHECK_FALSE(r.blocks_bind());
}

TEST_CASE("32 KB a block and 256 threads: 6 blocks and 75 %, not 228 / 32 = 7 and 87.5 %") {
  const ResidentBlocks r = resident_blocks(kHopper, {256, 0, 32 * KB});
  CHECK(r.blocks == 6);
  CHECK(r.warps == 48);
  CHECK(r.fraction == 0.75);
  CHECK(r.by_registers == kNoLimit);
  Gpu without = kHopper;
  without.reserved_shared_bytes = 0;
  CHECK(resident_blocks(without, {256, 0, 32 * KB}).fraction == 0.875);  // what the reserved KB costs
}

TEST_CASE("twice the tile's depth, 64 KB a block: 3 blocks, 37.5 %") {
  const ResidentBlocks r = resident_blocks(kHopper, {256, 0, 64 * KB});
  CHECK(r.blocks == 3);
  CHECK(r.fraction == 0.375);
}

TEST_CASE("a warp's registers come in units of 256") {
  CHECK(allocated_registers(kHopper, 25) == 1024);  // 800 are asked for
  CHECK(resident_blocks(kHopper, {256, 32, 0}).blocks == 8);
  CHECK(resident_blocks(kHopper, {256, 33, 0}).blocks == 6);  // 40 registers' worth: 12 warps a sub-core
}

TEST_CASE("a sub-core's registers are its own: what two of them have left makes no room for a warp") {
  // 168 registers: 5376 a warp, 3 in the 16,384 of a sub-core, 12 in all. The SM's 65,536 would hold 12.19.
  CHECK(resident_blocks(kHopper, {32, 168, 0}).by_registers == 12);
  // 88 registers: 2816 a warp, 5 a sub-core, 20 in all, though 65,536 / 2816 = 23.
  CHECK(resident_blocks(kHopper, {32, 88, 0}).by_registers == 20);
}

TEST_CASE("a block that cannot be launched has no resident blocks") {
  CHECK(resident_blocks(kHopper, {1024, 65, 0}).blocks == 0);
  CHECK(resident_blocks(kHopper, {1024, 64, 0}).blocks == 1);
  CHECK(resident_blocks(kHopper, {32, 256, 0}).blocks == 0);
  CHECK(resident_blocks(kHopper, {1025, 16, 0}).blocks == 0);
  CHECK(resident_blocks(kHopper, {256, 16, 227 * KB}).blocks == 1);
  CHECK(resident_blocks(kHopper, {256, 16, 227 * KB + 1}).blocks == 0);
}

TEST_CASE("small blocks are limited by their number, and part of a warp counts as a warp") {
  const ResidentBlocks r = resident_blocks(kHopper, {32, 16, 0});
  CHECK(r.blocks == 32);
  CHECK(r.blocks_bind());
  CHECK(r.fraction == 0.5);
  CHECK(resident_blocks(kHopper, {33, 16, 0}).warps == 64);
}

TEST_CASE("the next step is the nearest value with another number of blocks, found by trying all") {
  const auto nearest = [](auto blocks_at, std::int64_t now, std::int64_t least, std::int64_t most) {
    std::pair<std::int64_t, std::int64_t> found{-1, -1};
    for (std::int64_t v = now; v >= least && found.first < 0; --v)
      if (blocks_at(v) != blocks_at(now)) found.first = v;
    for (std::int64_t v = now; v <= most && found.second < 0; ++v)
      if (blocks_at(v) != blocks_at(now)) found.second = v;
    return found;
  };
  const auto same = [](const NextStep& next, std::pair<std::int64_t, std::int64_t> want, auto blocks_at) {
    CHECK((next.fewer ? next.fewer->value : -1) == want.first);
    CHECK((next.more ? next.more->value : -1) == want.second);
    if (next.fewer) CHECK(next.fewer->blocks == blocks_at(want.first));
    if (next.more) CHECK(next.more->blocks == blocks_at(want.second));
  };
  for (int threads : {1, 32, 100, 256, 1000, 1024})
    for (int registers : {1, 32, 33, 64, 125, 168, 255})
      for (std::int64_t shared : {std::int64_t{0}, 100 * std::int64_t{1}, 31 * KB, 32 * KB, 227 * KB}) {
        CAPTURE(threads);
        CAPTURE(registers);
        CAPTURE(shared);
        const BlockNeeds needs{threads, registers, shared};
        const auto by_threads = [&](std::int64_t v) {
          return resident_blocks(kHopper, {int(v), registers, shared}).blocks;
        };
        const auto by_registers = [&](std::int64_t v) {
          return resident_blocks(kHopper, {threads, int(v), shared}).blocks;
        };
        const auto by_shared = [&](std::int64_t v) {
          return resident_blocks(kHopper, {threads, registers, v}).blocks;
        };
        same(next_by_threads(kHopper, needs), nearest(by_threads, threads, 1, 1024), by_threads);
        same(next_by_registers(kHopper, needs), nearest(by_registers, registers, 1, 255), by_registers);
        same(next_by_shared(kHopper, needs), nearest(by_shared, shared, 0, 227 * KB), by_shared);
      }
}

TEST_CASE("one register more than 32 costs two of eight blocks, and 8 fewer than 40 bring them back") {
  const NextStep next = next_by_registers(kHopper, {256, 33, 0});
  CHECK(next.fewer->value == 32);
  CHECK(next.fewer->blocks == 8);
  CHECK(next.more->value == 41);
  CHECK(next.more->blocks == 5);
}
