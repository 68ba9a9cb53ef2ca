// What HBM must give and take at the least, counted along the steps of the followed block.
#include <doctest/doctest.h>

#include "app/model/compulsory.hpp"
#include "app/model/touched_sectors.hpp"

using namespace lockstep;

namespace {

// A warp whose lanes each do one access after another: {kind, view, first element, elements from lane to
// lane}.
struct Row {
  Kind kind;
  std::uint16_t view;
  std::uint32_t first, stride;
};

Launch warp_of(const std::vector<Row>& rows) {
  Launch launch;
  launch.block = {32, 1, 1};
  launch.trace.begin.push_back(0);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    std::uint16_t line = 10;
    for (const Row& row : rows)
      launch.trace.events.push_back(
          {(row.first + lane * row.stride) * 4, 0, 0, 1, line++, row.view, 4, row.kind});
    launch.trace.begin.push_back(launch.trace.events.size());
  }
  launch.trace.copy_begin.assign(33, 0);
  return launch;
}

}  // namespace

TEST_CASE("a sector that is read again is compulsory once") {
  const std::vector<Launch> launches{
      warp_of({{Kind::load, 0, 0, 1}, {Kind::load, 0, 0, 1}, {Kind::load, 0, 16, 1}})};
  const MemoryAxis axis(launches);
  const CompulsoryTraffic compulsory(axis);
  REQUIRE(axis.count() == 3);
  CHECK(compulsory.of(0).load == 4 * 32);
  CHECK(compulsory.of(1).load == 0);
  CHECK(compulsory.of(2).load == 2 * 32);  // half of it was there
  CHECK(compulsory.until(2).load == 6 * 32);
  CHECK(compulsory.until(2).store == 0);
  CHECK(compulsory.until(-1).load == 0);
}

TEST_CASE("what the block itself has written need not come from HBM, and is written there once") {
  const std::vector<Launch> launches{
      warp_of({{Kind::store, 0, 0, 1}, {Kind::load, 0, 0, 1}, {Kind::store, 0, 0, 1}})};
  const MemoryAxis axis(launches);
  const CompulsoryTraffic compulsory(axis);
  CHECK(compulsory.until(2).load == 0);
  CHECK(compulsory.until(2).store == 4 * 32);
  CHECK(compulsory.of(2).store == 0);
}

TEST_CASE("sectors of two arrays and of wide strides are counted apart, shared memory not at all") {
  const std::vector<Launch> launches{
      warp_of({{Kind::load, 0, 0, 8}, {Kind::load, 1, 0, 1}, {Kind::load, kFirstSharedView, 0, 1}})};
  const MemoryAxis axis(launches);
  const CompulsoryTraffic compulsory(axis);
  CHECK(compulsory.of(0).load == 32 * 32);
  CHECK(compulsory.of(1).load == 4 * 32);
  CHECK(compulsory.of(2).load == 0);
}
