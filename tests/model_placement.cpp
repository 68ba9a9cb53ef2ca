// Which SM runs which block when: what a placement tells, and the model of the hardware that makes one.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "app/model/placement.hpp"

using namespace lockstep;

namespace {

PlacementSetting alike(int blocks, int threads, std::int64_t turns = 256) {
  PlacementSetting setting{{threads, 24, 0}, {}, turn_cost(Gpu{}, 16)};
  setting.turns.assign(std::size_t(blocks), turns);
  return setting;
}

Placement placed(const PlacementSetting& setting) {
  const auto placement = modelled_placement(Gpu{}, setting);
  REQUIRE(placement);
  return *placement;
}

}  // namespace

TEST_CASE("as many blocks as the occupancy model allows begin at once, on every SM alike") {
  for (const int threads : {64, 256, 512, 1024}) {
    CAPTURE(threads);
    const int fit = resident_blocks(Gpu{}, {threads, 24, 0}).blocks;
    const PlacementFigures f = figures_of(placed(alike(132 * fit * 2, threads)));
    CHECK(f.first_wave == 132 * fit);
    CHECK(f.most_at_once == 132 * fit);
    CHECK(f.most_on_one_sm == fit);
    CHECK(f.sms == 132);
    CHECK(f.waves == 2);
  }
}

TEST_CASE("400 blocks of 1024 threads: 264 at once, and four of them run alone at the end") {
  const Placement placement = placed(alike(400, 1024));
  const PlacementFigures f = figures_of(placement);
  CHECK(f.first_wave == 264);
  CHECK(f.waves == 2);
  // The work of 400 blocks is 3.03 for each SM: some SM has four, and runs as long as four take.
  std::vector<int> of_sm(132);
  for (const PlacedBlock& b : placement.blocks) ++of_sm[std::size_t(b.sm)];
  CHECK(*std::max_element(of_sm.begin(), of_sm.end()) == 4);
  CHECK(std::count(of_sm.begin(), of_sm.end(), 4) == 4);
  CHECK(double(f.tail_ns) / double(f.span_ns) == doctest::Approx(0.25).epsilon(0.02));
}

TEST_CASE("no SM ever holds more blocks than fit, and no block begins before one has ended there") {
  PlacementSetting setting = alike(1000, 256);
  for (std::size_t b = 0; b < setting.turns.size(); ++b) setting.turns[b] = std::int64_t(1 + b * 7 % 50);
  setting.needs.shared_bytes = 65536;
  const int fit = resident_blocks(Gpu{}, setting.needs).blocks;
  const Placement placement = placed(setting);
  CHECK(figures_of(placement).most_on_one_sm == fit);
  for (const PlacedBlock& b : placement.blocks) {
    CHECK(b.end >= b.begin);
    int there = 0;
    for (const PlacedBlock& other : placement.blocks) there += other.sm == b.sm && other.at(b.begin);
    CHECK(there <= fit);
  }
}

TEST_CASE("long blocks last make a longer launch than long blocks first") {
  PlacementSetting rising = alike(2000, 1024), falling = rising;
  for (int b = 0; b < 2000; ++b)
    rising.turns[std::size_t(b)] = 1 + b, falling.turns[std::size_t(b)] = 2000 - b;
  const PlacementFigures up = figures_of(placed(rising)), down = figures_of(placed(falling));
  CHECK(up.span_ns > down.span_ns);
  CHECK(up.tail_ns > 2 * down.tail_ns);
}

TEST_CASE(
    "work that fills the schedulers takes as long as its instructions, however many blocks share an SM") {
  const std::int64_t one = figures_of(placed(alike(132, 1024))).span_ns;
  const std::int64_t two = figures_of(placed(alike(264, 1024))).span_ns;
  CHECK(double(two) == doctest::Approx(2.0 * double(one)).epsilon(0.01));
  // A single warp waits for its own results; four on each scheduler hide that, and cost nothing.
  const std::int64_t alone = figures_of(placed(alike(1, 32))).span_ns;
  const std::int64_t four = figures_of(placed(alike(1, 128))).span_ns;
  CHECK(alone == four);
  const std::int64_t eight = figures_of(placed(alike(1, 1024))).span_ns;
  CHECK(eight > 2 * alone);
}

TEST_CASE("a block that fits nowhere has no placement") {
  CHECK_FALSE(modelled_placement(Gpu{}, alike(1, 1056)));
  PlacementSetting wide = alike(1, 1024);
  wide.needs.registers = 128;
  CHECK_FALSE(modelled_placement(Gpu{}, wide));
}

TEST_CASE("the waves of an SM: a place is free for the next block when its block has ended") {
  const Placement placement{
      {{0, 0, 0, 100}, {0, 0, 0, 60}, {0, 0, 60, 130}, {0, 0, 100, 110}, {1, 0, 0, 10}}};
  const auto seats = seats_of(placement);
  CHECK(seats == std::vector<Seat>{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}});
  const PlacementFigures f = figures_of(placement);
  CHECK(f.first_wave == 3);
  CHECK(f.most_at_once == 3);
  CHECK(f.waves == 2);
  CHECK(f.tail_ns == 120);
  CHECK(f.busy == doctest::Approx((100 + 60 + 70 + 10 + 10) / 130.0 / 3));
}

TEST_CASE("SMs of one cluster are one group, and groups that share an SM are one") {
  const auto on = [](std::vector<int> sms) {
    Placement placement;
    for (const int sm : sms) placement.blocks.push_back({sm, 0, 0, 1});
    return placement;
  };
  CHECK(groups_of(on({0, 2, 1, 3, 2, 4, 5, 5}), 2) == std::vector<std::vector<int>>{{0, 2, 4}, {1, 3}, {5}});
  CHECK(groups_of(on({0, 2, 1, 3}), 1).size() == 4);
  CHECK(groups_of({}, 8).empty());
  CHECK(joined_groups({{0, 2}, {1, 3}}, {{2, 4}, {5}}) ==
        std::vector<std::vector<int>>{{0, 2, 4}, {1, 3}, {5}});
}

TEST_CASE("a placement and its groups come back from their texts, and damaged texts give none") {
  const Placement placement = placed(alike(7, 128));
  CHECK(read_placement(placement_text(placement)) == placement);
  for (const char* text :
       {"", "1,2,3", "1,2,3,4", "1,2,9,3;", "1;2,3,4;", "-1,0,0,0;", "5000,0,0,1;", "0,0,0,1;x"})
    CHECK_FALSE(read_placement(text));
  const std::vector<std::vector<int>> groups{{0, 2, 4}, {1, 3}};
  CHECK(groups_text(groups) == "0,2,4;1,3;");
  CHECK(read_groups(groups_text(groups)) == groups);
  for (const char* text : {"0,0;", "0,1", "0;1,;", "5000;", "a;"}) CHECK_FALSE(read_groups(text));
}
