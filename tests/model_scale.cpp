// Traces larger than what is kept or looked at in one piece.
#include <doctest/doctest.h>

#include <random>

#include "app/model/grid_fold.hpp"
#include "app/model/progress.hpp"

using namespace lockstep;

namespace {

ViewInfo matrix() { return {0, "in", Space::global, "float", 4, {64, 64}, 0}; }

// One block of `threads` threads with random loads and stores.
std::vector<std::vector<Access>> random_streams(std::size_t threads, int events) {
  std::mt19937 random(3);
  std::vector<std::vector<Access>> streams(threads);
  for (int k = 0; k < events; ++k)
    for (auto& stream : streams) {
      Access a;
      a.offset = random() % (64 * 64) * 4, a.line = std::uint16_t(10 + k % 7), a.width = 4;
      a.kind = k % 3 ? Kind::load : Kind::store;
      stream.push_back(a);
    }
  return streams;
}

Launch folded(std::size_t threads, int events, std::int64_t warp, std::uint64_t most,
              Counts* counts = nullptr) {
  Launch launch;
  launch.block = {std::int64_t(threads), 1, 1};
  launch.views = {matrix()};
  CacheModel cache;
  GridFold fold(launch, 0, cache, warp, most);
  const auto streams = random_streams(threads, events);
  std::vector<std::span<const Access>> spans(streams.begin(), streams.end());
  fold.add_block(0, spans);
  if (counts) *counts = fold.counts();
  return launch;
}

std::uint64_t events_of_warp(const Launch& launch, std::size_t warp) {
  return launch.trace.begin[(warp + 1) * 32] - launch.trace.begin[warp * 32];
}

}  // namespace

TEST_CASE(
    "any step of a long trace shows the elements and the bytes that walking from the start would show") {
  const Launch launch = folded(64, 3000, 0, kMaxFollowedEvents);
  const MemoryAxis axis({launch});
  REQUIRE(axis.steps.size() == 6000);
  const BlockProgress progress(axis);
  const Region region = progress.region_touched(0, matrix());
  std::vector<ElementState> walked(std::size_t(region.rows * region.cols));
  Traffic sum;
  for (int s = 0; s < int(axis.steps.size()); ++s) {
    const Step& step = axis.steps[std::size_t(s)];
    const Traffic now = traffic_of(step);
    sum.load.sectors += now.load.sectors, sum.store.lane_bytes += now.store.lane_bytes;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      ElementState& e = walked[step.instruction.offset[lane] / 4];
      ++(reads(step.instruction.kind) ? e.reads : e.writes);
    }
    if (s % 613 != 0 && s != 2047 && s != 2048 && s != 5999) continue;
    CAPTURE(s);
    CHECK(progress.traffic_until(s).load.sectors == sum.load.sectors);
    CHECK(progress.traffic_until(s).store.lane_bytes == sum.store.lane_bytes);
    const auto shown = progress.elements_until(s, matrix(), region);
    int different = 0;
    for (std::size_t e = 0; e < shown.size(); ++e)
      different += shown[e].reads != walked[e].reads || shown[e].writes != walked[e].writes;
    CHECK(different == 0);
  }
  CHECK(progress.traffic_until(-1).load.sectors == 0);
}

TEST_CASE("beyond the bound whole warps are left out, the followed one last, and it is said how much") {
  Counts all, bounded;
  const Launch whole = folded(128, 100, 2, kMaxFollowedEvents, &all);
  const Launch part = folded(128, 100, 2, 7000, &bounded);
  CHECK(whole.trace.dropped == 0);
  CHECK(events_of_warp(part, 2) == 3200);
  CHECK(events_of_warp(part, 0) == 3200);
  CHECK(events_of_warp(part, 1) == 0);
  CHECK(events_of_warp(part, 3) == 0);
  CHECK(part.trace.dropped == 6400);
  CHECK(all == bounded);  // the counts cover what is not kept as well
}

TEST_CASE("a followed warp that is larger than the bound keeps the beginning of every lane") {
  const Launch part = folded(64, 100, 1, 1600);
  CHECK(events_of_warp(part, 1) == 1600);
  CHECK(events_of_warp(part, 0) == 0);
  CHECK(part.trace.begin[33] - part.trace.begin[32] == 50);
  CHECK(!memory_steps({part}).empty());
}
