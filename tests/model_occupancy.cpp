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
