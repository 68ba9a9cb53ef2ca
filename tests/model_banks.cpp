#include <doctest/doctest.h>

#include <random>

#include "app/model/fold.hpp"

using namespace lockstep;
using Offsets = std::array<std::uint32_t, kWarpSize>;

namespace {
constexpr std::uint32_t kAll = ~0u;

template <class F>
Offsets map(int width, F element) {
  Offsets o;
  for (int lane = 0; lane < kWarpSize; ++lane) o[lane] = std::uint32_t(element(lane)) * width;
  return o;
}
template <class F>
int load(int width, F element, std::uint32_t lanes = kAll) {
  return shared_wavefronts(lanes, map(width, element), width, false);
}
template <class F>
int store(int width, F element, std::uint32_t lanes = kAll) {
  return shared_wavefronts(lanes, map(width, element), width, true);
}
}  // namespace

TEST_CASE("four bytes: the wavefronts are the largest number of different words in one bank") {
  CHECK(load(4, [](int i) { return i; }) == 1);
  CHECK(load(4, [](int) { return 7; }) == 1);
  CHECK(load(4, [](int i) { return 2 * i; }) == 2);
  CHECK(load(4, [](int i) { return 4 * i; }) == 4);
  CHECK(load(4, [](int i) { return 32 * i; }) == 32);
  CHECK(load(4, [](int i) { return 33 * i; }) == 1);
  CHECK(load(4, [](int i) { return i / 2 * 32; }) == 16);
  CHECK(store(4, [](int i) { return 32 * i; }) == 32);
  CHECK(load(
            4, [](int i) { return 32 * i; }, 0x0000000f) == 4);
}

TEST_CASE("a column of a 32 x 32 float tile takes 32 wavefronts; padding and swizzling take one") {
  for (int column : {0, 5, 31}) {
    CHECK(load(4, [&](int i) { return i * 32 + column; }) == 32);
    CHECK(load(4, [&](int i) { return i * 33 + column; }) == 1);
    CHECK(load(4, [&](int i) { return i * 32 + (column ^ i); }) == 1);
  }
}

TEST_CASE("eight bytes: two passes unless neighbouring lanes share an address (H200)") {
  CHECK(load(8, [](int i) { return i; }) == 2);
  CHECK(load(8, [](int) { return 0; }) == 1);
  CHECK(load(8, [](int i) { return i / 2; }) == 1);
  CHECK(load(8, [](int i) { return i % 16; }) == 2);
  CHECK(store(8, [](int) { return 0; }) == 2);
  CHECK(store(8, [](int i) { return i / 2; }) == 2);
}

TEST_CASE("sixteen bytes: four passes contiguous, 32 in one column") {
  CHECK(load(16, [](int i) { return i; }) == 4);
  CHECK(store(16, [](int i) { return i; }) == 4);
  CHECK(load(16, [](int i) { return 8 * i; }) == 32);
  CHECK(load(16, [](int i) { return i / 2; }) == 2);
}

TEST_CASE("no lanes, no wavefront; one lane, one") {
  CHECK(load(
            4, [](int i) { return i; }, 0) == 0);
  for (int width : {4, 8, 16})
    CHECK(load(
              width, [](int i) { return i; }, 1u << 19) == 1);
}

TEST_CASE("the fewest wavefronts are 1, 2 and 4 for a full warp of 4, 8 and 16 bytes") {
  CHECK(fewest_wavefronts(kAll, 4, false) == 1);
  CHECK(fewest_wavefronts(kAll, 8, false) == 2);
  CHECK(fewest_wavefronts(kAll, 16, false) == 4);
  CHECK(fewest_wavefronts(0x0000ffff, 8, false) == 1);
  CHECK(fewest_wavefronts(0x000000ff, 16, true) == 1);
}

TEST_CASE(
    "for random maps: 1 <= wavefronts <= active lanes x words, and permuting whole words' banks changes "
    "nothing") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 2000; ++trial) {
    const int width = 4 << random() % 3;
    const std::uint32_t lanes = random() | 1;
    Offsets o, shifted;
    for (int i = 0; i < kWarpSize; ++i) o[i] = random() % 64 * width, shifted[i] = o[i] + 128;
    for (bool is_store : {false, true}) {
      const int w = shared_wavefronts(lanes, o, width, is_store);
      CHECK(w >= 1);
      CHECK(w <= std::popcount(lanes) * width / 4);
      CHECK(w == shared_wavefronts(lanes, shifted, width, is_store));
    }
    CHECK(shared_wavefronts(lanes, o, width, false) <= shared_wavefronts(lanes, o, width, true));
  }
}

TEST_CASE("sectors: 4 for a contiguous float read, 32 down a column, 16 for 16 bytes a lane") {
  CHECK(global_sectors(kAll, map(4, [](int i) { return i; }), 4) == 4);
  CHECK(global_sectors(kAll, map(4, [](int i) { return i + 1; }), 4) == 5);
  CHECK(global_sectors(kAll, map(4, [](int i) { return 1024 * i; }), 4) == 32);
  CHECK(global_sectors(kAll, map(4, [](int) { return 3; }), 4) == 1);
  CHECK(global_sectors(kAll, map(16, [](int i) { return i; }), 16) == 16);
  CHECK(global_sectors(kAll, map(4, [](int i) { return 31 - i; }), 4) == 4);
  CHECK(global_sectors(0, map(4, [](int i) { return i; }), 4) == 0);
}
