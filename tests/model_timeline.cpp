// Spans in lanes: nesting, search, fold.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

#include "app/model/timeline.hpp"

using namespace lockstep;

namespace {

TimelineLane lane_of(const std::vector<std::pair<std::int64_t, std::int64_t>>& spans) {
  TimelineLane lane;
  for (const auto& [start, end] : spans)
    lane.spans.push_back(
        {start, end, 0, std::uint16_t(lane.spans.size() % 3), 0, std::uint32_t(lane.spans.size() + 1)});
  nest(lane);
  return lane;
}

std::vector<int> depths(const TimelineLane& lane) {
  std::vector<int> all;
  for (const TimelineSpan& span : lane.spans) all.push_back(span.depth);
  return all;
}

// Many spans, some inside others, some overlapping, some of no length.
TimelineLane random_lane(unsigned seed, int count) {
  std::mt19937 random(seed);
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;
  for (int i = 0; i < count; ++i) {
    const std::int64_t start = std::int64_t(random() % 20000);
    const std::int64_t length = random() % 5 == 0 ? 0 : std::int64_t(1u << (random() % 10));
    spans.emplace_back(start, start + length);
  }
  return lane_of(spans);
}

}  // namespace

TEST_CASE("a name is kept once, and names that were put there by hand are found") {
  Timeline t;
  t.names = {"norm", "norm", "qkv"};
  CHECK(t.intern("qkv") == 2);
  CHECK(t.intern("mlp") == 3);
  CHECK(t.intern("mlp") == 3);
  CHECK(t.intern("norm") == 0);
  CHECK(t.names.size() == 4);
}

TEST_CASE("a span inside another is one deeper, its neighbour is not") {
  CHECK(depths(lane_of({{0, 100}, {10, 30}, {12, 20}, {30, 60}, {100, 120}})) ==
        std::vector<int>{0, 1, 2, 1, 0});
}

TEST_CASE("of two spans that start together the longer holds the shorter, in whatever order they came") {
  const TimelineLane lane = lane_of({{0, 10}, {0, 50}});
  CHECK(lane.spans[0].end_ns == 50);
  CHECK(depths(lane) == std::vector<int>{0, 1});
}

TEST_CASE("spans that overlap without nesting go to the next free row, and back when there is room") {
  CHECK(depths(lane_of({{0, 10}, {5, 15}, {8, 20}, {15, 30}})) == std::vector<int>{0, 1, 2, 0});
}

TEST_CASE("a span without length lies in what holds it; one that ends before it starts has length 0") {
  const TimelineLane lane = lane_of({{0, 10}, {4, 4}, {10, 10}, {20, 15}});
  CHECK(depths(lane) == std::vector<int>{0, 1, 0, 0});
  CHECK(lane.spans[3].length_ns() == 0);
}

TEST_CASE("no two spans of a row overlap, and what holds a span stands above it") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const TimelineLane lane = random_lane(seed, 400);
    std::size_t in_rows = 0;
    for (const TimelineRow& row : lane.rows) {
      in_rows += row.spans.size();
      for (std::size_t i = 1; i < row.spans.size(); ++i)
        CHECK(lane.spans[row.spans[i - 1]].end_ns <= lane.spans[row.spans[i]].start_ns);
    }
    CHECK(in_rows == lane.spans.size());
    for (const TimelineSpan& a : lane.spans)
      for (const TimelineSpan& b : lane.spans)
        if (a.start_ns <= b.start_ns && b.end_ns <= a.end_ns && b.length_ns() < a.length_ns() &&
            b.start_ns < a.end_ns)
          CHECK(a.depth < b.depth);
  }
}

TEST_CASE("the search finds what touches a stretch, and nothing else") {
  std::mt19937 random(7);
  const TimelineLane lane = random_lane(3, 500);
  for (int i = 0; i < 200; ++i) {
    const std::int64_t t0 = std::int64_t(random() % 20000), t1 = t0 + std::int64_t(random() % 3000);
    std::vector<std::uint32_t> expected;
    for (std::uint32_t s = 0; s < lane.spans.size(); ++s)
      if (lane.spans[s].end_ns >= t0 && lane.spans[s].start_ns <= t1) expected.push_back(s);
    CHECK(spans_in(lane, t0, t1) == expected);
  }
}

TEST_CASE("the commonest kind of a stretch is the one that most of its time belongs to") {
  TimelineLane lane;
  std::mt19937 random(1);
  for (std::int64_t i = 0; i < 1000; ++i)
    lane.spans.push_back({i * 10, i * 10 + std::int64_t(random() % 10), 0,
                          std::uint16_t(100 * (random() % 4)), 0, std::uint32_t(i + 1)});
  nest(lane);
  for (int i = 0; i < 300; ++i) {
    RowRange range{random() % 999, 0};
    range.end = range.first + 1 + random() % (1000 - range.first);
    std::map<std::uint16_t, std::int64_t> weight;
    for (std::size_t s = range.first; s < range.end; ++s)
      weight[lane.spans[s].kind] += lane.spans[s].length_ns() + 1;
    std::int64_t most = 0;
    for (const auto& [kind, w] : weight) most = std::max(most, w);
    CHECK(weight[commonest_kind(lane, 0, range)] == most);
  }
}

TEST_CASE("a fold loses no span, keeps the long ones apart and merges only what is short") {
  for (const double least : {1.0, 7.5, 64.0, 5000.0}) {
    const TimelineLane lane = random_lane(11, 800);
    for (std::size_t row = 0; row < lane.rows.size(); ++row) {
      const RowRange visible = spans_in(lane, row, 2000, 15000);
      std::size_t next = visible.first;
      for (const TimelineBar& bar : fold(lane, row, 2000, 15000, least)) {
        CHECK(bar.spans.first == next);
        next = bar.spans.end;
        if (bar.spans.count() == 1) continue;
        for (std::size_t i = bar.spans.first; i < bar.spans.end; ++i)
          CHECK(double(lane.spans[lane.rows[row].spans[i]].length_ns()) < least);
        CHECK(double(lane.spans[lane.rows[row].spans[bar.spans.end - 1]].start_ns - bar.start_ns) < least);
      }
      CHECK(next == visible.end);
    }
  }
}

TEST_CASE("a fold has no more bars than the picture has cells, however many spans there are") {
  TimelineLane lane;
  for (std::int64_t i = 0; i < 100000; ++i)
    lane.spans.push_back({i * 10, i * 10 + 8, 0, 0, 0, std::uint32_t(i + 1)});
  nest(lane);
  CHECK(fold(lane, 0, 0, 1'000'000, 3000).size() <= 335);
  CHECK(fold(lane, 0, 500'000, 501'000, 3).size() == 101);
}

TEST_CASE("bars do not change while the picture moves") {
  const TimelineLane lane = random_lane(5, 600);
  const auto inside = [&](std::int64_t t0, std::int64_t t1) {  // away from the edges
    std::vector<std::int64_t> starts;
    for (const TimelineBar& bar : fold(lane, 0, t0, t1, 50))
      if (bar.start_ns > 6000 && bar.start_ns < 9000) starts.push_back(bar.start_ns);
    return starts;
  };
  CHECK(inside(5000, 10000) == inside(5017, 10017));
}

TEST_CASE("a span is found by its id, with the edges at it; unknown ids are nowhere") {
  Timeline t;
  const auto call = t.add(t.add_lane("CPU"), "cudaLaunchKernel", 0, 3, 1);
  const auto a = t.add(t.add_lane("stream A", "GPU"), "norm", 5, 9, 2);
  const auto b = t.add(t.lanes[1], "qkv", 10, 19, 2);
  t.edges = {{call, a, 0}, {a, b, 1}, {b, 4711, 1}};
  t.nest();
  REQUIRE(t.find(b));
  CHECK(t.names[t.at(*t.find(b)).name] == "qkv");
  CHECK(t.lanes[t.find(b)->lane].group == "GPU");
  CHECK_FALSE(t.find(4711));
  const auto at_a = t.edges_of(a);
  CHECK(std::vector<std::uint32_t>(at_a.begin(), at_a.end()) == std::vector<std::uint32_t>{0, 1});
  CHECK(t.edges_of(call).size() == 1);
  CHECK(t.edges_of(b).size() == 2);
  CHECK(t.edges_of(4711).empty());
  CHECK(t.first_ns() == 0);
  CHECK(t.last_ns() == 19);
  CHECK(t.span_count() == 3);
}

TEST_CASE("an empty timeline has no extent and nothing in it") {
  Timeline t;
  t.nest();
  CHECK(t.first_ns() == 0);
  CHECK(t.last_ns() == 0);
  t.add_lane("CPU");
  t.nest();
  CHECK(t.last_ns() == 0);
  CHECK(t.lanes[0].rows.empty());
}
