// What each line of the followed block cost.
#include <doctest/doctest.h>

#include "app/model/fold.hpp"
#include "app/model/line_costs.hpp"

using namespace lockstep;

namespace {

constexpr std::uint16_t kFile = 9, kTile = kFirstSharedView + 1;

Access access(Kind kind, int line, std::uint32_t offset, std::uint16_t view = 0, std::uint8_t width = 4) {
  return {offset, 0, 0, kFile, std::uint16_t(line), view, width, kind};
}

// Threads that do what `events` says of each.
template <class F>
Launch launch_of(std::uint32_t threads, F&& events) {
  Launch launch;
  launch.block = {threads, 1, 1};
  launch.trace.begin.push_back(0);
  for (std::uint32_t t = 0; t < threads; ++t) {
    for (const Access& a : events(t)) launch.trace.events.push_back(a);
    launch.trace.begin.push_back(launch.trace.events.size());
  }
  return launch;
}

LineCost cost(const std::vector<Launch>& launches, int line) {
  const LineCosts costs = line_costs(launches);
  const auto found = costs.of(kFile).find(line);
  return found == costs.of(kFile).end() ? LineCost{} : found->second;
}

using Events = std::vector<Access>;

}  // namespace

TEST_CASE("a line counts the warp instructions of all warps, with their sectors and wavefronts") {
  const Launch launch = launch_of(64, [](std::uint32_t t) {
    return Events{access(Kind::load, 3, 4 * t), access(Kind::store, 3, 4 * t, kTile),
                  access(Kind::barrier, 4, 0, 0, 0), access(Kind::load, 5, 128 * (t % 32), kTile),
                  access(Kind::store, 5, 4096 * t)};
  });
  CHECK(cost({launch}, 3) == LineCost{4, 8, 2, 0, 0});
  CHECK(cost({launch}, 5) == LineCost{4, 64, 64, 56, 62});  // 32 lanes in one bank, a sector for each lane
  CHECK(line_costs({launch}).of(kFile).count(4) == 0);      // a barrier moves nothing
}

TEST_CASE("lanes that read one element take fewer sectors and wavefronts than neighbours: nothing is above") {
  const Launch launch = launch_of(32, [](std::uint32_t) {
    return Events{access(Kind::load, 3, 64), access(Kind::load, 4, 64, kTile)};
  });
  CHECK(cost({launch}, 3) == LineCost{1, 1, 0, 0, 0});
  CHECK(cost({launch}, 4) == LineCost{1, 0, 1, 0, 0});
}

TEST_CASE("the fewest hang on the lanes and on the width") {
  const Launch wide = launch_of(32, [](std::uint32_t t) {
    return t < 16 ? Events{access(Kind::load, 3, 16 * t, 0, 16), access(Kind::load, 4, 16 * t, kTile, 16)}
                  : Events{};
  });
  CHECK(cost({wide}, 3) == LineCost{1, 8, 0, 0, 0});  // 16 lanes of 16 bytes are 8 sectors
  CHECK(cost({wide}, 4) == LineCost{1, 0, 2, 0, 0});  // and two wavefronts of 128 bytes
  const Launch shifted =
      launch_of(32, [](std::uint32_t t) { return Events{access(Kind::load, 3, 4 * t + 4)}; });
  CHECK(cost({shifted}, 3) == LineCost{1, 5, 0, 1, 0});
}

TEST_CASE(
    "an asynchronous copy is one instruction, with sectors where it reads and wavefronts where it writes") {
  const Launch launch = launch_of(32, [](std::uint32_t t) {
    return Events{access(Kind::copy_issue, 3, 4 * t), access(Kind::copy_target, 3, 128 * t, kTile)};
  });
  CHECK(cost({launch}, 3) == LineCost{1, 4, 32, 0, 31});
}

TEST_CASE("atomics on shared memory have no wavefronts, as in the run's counts") {
  const Launch launch = launch_of(32, [](std::uint32_t t) {
    return Events{access(Kind::atomic, 3, 4 * t, kTile), access(Kind::reduction, 4, 32 * t)};
  });
  CHECK(cost({launch}, 3) == LineCost{1, 0, 0, 0, 0});
  CHECK(cost({launch}, 4) == LineCost{1, 32, 0, 28, 0});
}

TEST_CASE("launches add up line by line; those without events, and dropped ones, are told") {
  Launch launch = launch_of(32, [](std::uint32_t t) { return Events{access(Kind::load, 3, 4 * t)}; });
  const LineCosts costs = line_costs({Launch{}, launch, launch});
  CHECK(costs.of(kFile).at(3) == LineCost{2, 8, 0, 0, 0});
  CHECK(costs.launches == 2);
  CHECK(costs.first_launch == 1);
  CHECK(costs.complete);
  launch.trace.dropped = 7;
  CHECK_FALSE(line_costs({launch}).complete);
  CHECK(line_costs({Launch{}}).files.empty());
  CHECK(costs.of(kFile + 1).empty());
}
