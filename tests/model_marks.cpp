// Steps that the kernel names, and the values that it shows: from threads' streams written by hand.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>

#include "app/model/marks.hpp"
#include "app/model/progress.hpp"

using namespace lockstep;

namespace {

constexpr std::uint16_t kScores = name_id("scores"), kRescale = name_id("rescale"), kMax = name_id("m");

Access load(int line, std::uint32_t element) {
  return {element * 4, 0, 0, 9, std::uint16_t(line), 0, 4, Kind::load};
}
Access mark(int line, std::uint16_t name, std::uint32_t index) {
  return {index, 0, 0, 9, std::uint16_t(line), name, 0, Kind::mark};
}
Access value(int line, std::uint16_t name, std::uint32_t index, float x) {
  return {index, std::bit_cast<std::uint32_t>(x), 0, 9, std::uint16_t(line), name, 0, Kind::value};
}

// Two warps, two tiles: load, then a step that moves nothing, and shows the maximum of warp w in row w.
Launch launch() {
  Launch l;
  l.block = {64, 1, 1};
  l.views = {{0, "x", Space::global, "float", 4, {2, 64}, 0}};
  for (std::uint32_t t = 0; t < 64; ++t) {
    l.trace.begin.push_back(l.trace.events.size());
    auto& events = l.trace.events;
    events.push_back(load(3, t));  // before any mark
    for (std::uint32_t tile = 0; tile < 2; ++tile) {
      events.push_back(mark(5, kScores, tile));
      events.push_back(load(6, tile * 64 + t));
      events.push_back(mark(7, kRescale, tile));
      events.push_back(value(8, kMax, t % 32 == 0 ? t / 32 : kNotShown, float(10 * tile + t / 32)));
    }
  }
  l.trace.begin.push_back(l.trace.events.size());
  return l;
}

constexpr const char* kNames[] = {"scores", "rescale"};

}  // namespace

TEST_CASE(
    "a mark opens a step, also one that moves no data, and every access belongs to the last mark before it") {
  const std::vector<Launch> launches{launch()};
  const MarkedAxis axis(launches, kNames);
  REQUIRE(axis.steps.size() == 5);
  const std::uint16_t names[] = {0, kScores, kRescale, kScores, kRescale};
  const std::uint32_t parts[] = {2, 2, 0, 2, 0};
  for (int s = 0; s < 5; ++s) {
    CHECK(axis.marked[std::size_t(s)].mark == names[s]);
    CHECK(axis.steps[std::size_t(s)].part_count == parts[s]);
  }
  CHECK(axis.marked[3].index == 1);
  CHECK(axis.marked[1].lines == std::vector<std::uint16_t>{6});
  CHECK(axis.marked[2].lines == std::vector<std::uint16_t>{8});
  CHECK(find_marked(axis, kScores, 1) == 3);
  CHECK(find_marked(axis, kScores, 2) == -1);
  CHECK(BlockProgress(axis).traffic_until(2).load.lane_bytes == 2 * 64 * 4);
  CHECK(BlockProgress(axis).traffic_until(4).load.lane_bytes == 3 * 64 * 4);
  CHECK(traffic_of(axis, 2).load.lane_bytes == 0);
  const Region region = BlockProgress(axis).region_touched(0, launches[0].views[0]);
  CHECK(BlockProgress(axis).elements_until(4, launches[0].views[0], region)[127].reads == 1);
}

TEST_CASE(
    "shown values: few of many indices, several names, and threads that show one after another's step") {
  using Shown = ShownValues::Shown;
  std::vector<Shown> all;
  for (std::uint32_t i = 0; i < 5; ++i) all.push_back({7, i * 0x30000000u, {2, float(i), 0}});
  for (std::uint32_t i = 0; i < 3; ++i) all.push_back({3, 40 + i, {9, float(i), 1}});
  all.push_back({3, 41, {4, 100.f, 2}});  // by a later thread, in an earlier step
  all.push_back({3, 41, {9, 200.f, 3}});  // in the same step the last one counts
  const ShownValues shown(all);
  for (std::uint32_t i = 0; i < 5; ++i) CHECK(shown.at(7, i * 0x30000000u, 2) == float(i));
  CHECK_FALSE(shown.at(7, 1, 9).has_value());
  CHECK_FALSE(shown.at(7, UINT32_MAX, 9).has_value());
  CHECK(shown.at(3, 40, 9) == 0.f);
  CHECK(shown.at(3, 42, 9) == 2.f);
  CHECK_FALSE(shown.at(3, 39, 9).has_value());
  CHECK_FALSE(shown.at(3, 43, 9).has_value());
  CHECK_FALSE(shown.at(4, 40, 9).has_value());
  const auto both = shown.history(3, 41);
  REQUIRE(both.size() == 2);
  CHECK(both[0].step == 4);
  CHECK(both[0].value == 100.f);
  CHECK(both[1].value == 200.f);
  CHECK(both[1].thread == 3);
  CHECK(ShownValues().history(3, 41).empty());
  CHECK(ShownValues({{5, 0, {1, 1.f, 0}}}).history(5, UINT32_MAX).empty());
}

// A warp that only fetches has marks of its own; the others have two for each tile.
TEST_CASE("marks of threads that do something else stand in front of the first one with a larger index") {
  constexpr std::uint16_t kLoad = name_id("load");
  Launch l;
  l.block = {96, 1, 1};
  l.views = {{0, "x", Space::global, "float", 4, {3, 64}, 0}};
  for (std::uint32_t t = 0; t < 96; ++t) {
    l.trace.begin.push_back(l.trace.events.size());
    auto& events = l.trace.events;
    if (t > 0 && t < 32) continue;  // left at once
    for (std::uint32_t tile = 0; tile < 3; ++tile) {
      if (t == 0) {
        events.push_back(mark(4, kLoad, tile));
        events.push_back(load(5, tile * 64));
      } else {
        events.push_back(mark(7, kScores, tile));
        events.push_back(load(8, t));
        events.push_back(mark(9, kRescale, tile));
        events.push_back(value(10, kMax, t, float(tile)));
      }
    }
  }
  l.trace.begin.push_back(l.trace.events.size());
  const std::vector<Launch> launches{l};
  const MarkedAxis axis(launches, kNames);
  REQUIRE(axis.steps.size() == 9);
  for (int s = 0; s < 9; ++s) {
    CHECK(axis.marked[std::size_t(s)].mark == (s % 3 == 0 ? kLoad : s % 3 == 1 ? kScores : kRescale));
    CHECK(axis.marked[std::size_t(s)].index == std::uint32_t(s / 3));
    CHECK(axis.steps[std::size_t(s)].part_count == (s % 3 == 0 ? 1u : s % 3 == 1 ? 2u : 0u));
  }
  CHECK(axis.shown.at(kMax, 40, 5) == 1.f);
  CHECK(axis.shown.at(kMax, 40, 4) == 0.f);
}

TEST_CASE("a shown value stands from its step until the next one of its name and index") {
  const std::vector<Launch> launches{launch()};
  const MarkedAxis axis(launches, kNames);
  CHECK_FALSE(axis.shown.at(kMax, 0, 1).has_value());
  CHECK(axis.shown.at(kMax, 0, 2) == 0.f);
  CHECK(axis.shown.at(kMax, 1, 3) == 1.f);
  CHECK(axis.shown.at(kMax, 1, 4) == 11.f);
  CHECK(axis.shown.before(kMax, 1, 4) == 1.f);
  CHECK_FALSE(axis.shown.at(kMax, 2, 4).has_value());
  CHECK_FALSE(axis.shown.at(kMax, kNotShown, 4).has_value());
}

TEST_CASE("remarks of a kernel cost nothing: counts, steps and visits are those of the kernel without them") {
  const Launch with = launch();
  Launch without;
  without.block = with.block, without.views = with.views;
  for (std::size_t t = 0; t < 64; ++t) {
    without.trace.begin.push_back(without.trace.events.size());
    for (auto e = with.trace.begin[t]; e < with.trace.begin[t + 1]; ++e)
      if (!is_remark(with.trace.events[e].kind)) without.trace.events.push_back(with.trace.events[e]);
  }
  without.trace.begin.push_back(without.trace.events.size());
  const auto a = canonical_instructions(with.trace), b = canonical_instructions(without.trace);
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].visit == b[i].visit);
    CHECK(a[i].offset == b[i].offset);
  }
}

TEST_CASE("two marked axes align on the name and index of a step, whatever its place") {
  const std::vector<Launch> launches{launch()};
  std::vector<Launch> turned = launches;  // the other tile first
  for (Access& a : turned[0].trace.events)
    if (a.kind == Kind::mark) a.offset = 1 - a.offset;
  const MarkedAxis axis(launches, kNames), other(turned, kNames);
  CHECK(to_text(axis.key(0)) == "before");
  CHECK(to_text(axis.key(3)) == "scores 1");
  CHECK(aligned_step(axis, 1, other).step == 3);
  CHECK(aligned_step(axis, 2, other).step == 4);
  CHECK(aligned_step(axis, 1, other).same);
  CHECK(aligned_step(axis, 1, MarkedAxis()).step == -1);
}

TEST_CASE("where the other axis has no step of a name, it stands where the steps before have led it") {
  const std::vector<Launch> launches{launch()};
  std::vector<Launch> without = launches;
  for (Access& a : without[0].trace.events)
    if (a.kind == Kind::mark && a.view == kRescale) a.view = name_id("other");
  const MarkedAxis axis(launches, kNames), other(without, kNames);
  const AlignedStep there = aligned_step(axis, 4, other);  // rescale 1, behind scores 1
  CHECK(to_text(other.key(there.step)) == "scores 1");
  CHECK_FALSE(there.same);
}

TEST_CASE("a run without marks is one step per launch") {
  std::vector<Launch> launches{launch()};
  std::erase_if(launches[0].trace.events, [](const Access& a) { return is_remark(a.kind); });
  for (std::size_t t = 0; t <= 64; ++t) launches[0].trace.begin[t] = 3 * t;
  const MarkedAxis axis(launches, kNames);
  REQUIRE(axis.steps.size() == 1);
  CHECK(axis.marked[0].mark == 0);
  CHECK(axis.steps[0].part_count == 6);
}

TEST_CASE("touches of a later launch: its writes stand, the first reader stays, reads add up") {
  const auto touch = [](std::uint32_t writer, std::uint32_t reader) {
    Touch t;
    t.view = 3;
    t.writer_block = {writer}, t.reader_block = {reader};
    t.writer_thread = {7}, t.writer_line = {9}, t.reader_thread = {5}, t.reader_line = {6}, t.reads = {2};
    return t;
  };
  std::vector<Touch> touches;
  merge_touches(touches, {touch(1, Touch::kNobody)}, 0);
  CHECK(touches[0].writer_launch.empty());
  merge_touches(touches, {touch(Touch::kNobody, 4)}, 1);
  merge_touches(touches, {touch(2, 8)}, 2);
  REQUIRE(touches.size() == 1);
  CHECK(touches[0].writer_block[0] == 2);
  CHECK(touches[0].writer_launch[0] == 2);
  CHECK(touches[0].reader_block[0] == 4);
  CHECK(touches[0].reader_launch[0] == 1);
  CHECK(touches[0].reads[0] == 6);
  merge_touches(touches, {touch(3, 8)}, 255);
  CHECK(touches[0].writer_launch[0] == 255);
  merge_touches(touches, {touch(4, 8)}, 256);  // a column has no number for it: nothing beats a wrong one
  CHECK(touches.empty());
  merge_touches(touches, {touch(5, 8)}, 257);
  CHECK(touches.empty());
}
