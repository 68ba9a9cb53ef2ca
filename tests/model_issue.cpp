// What warps issue, for how many of their lanes, and what the model of the SM makes of warps that differ.
#include <doctest/doctest.h>

#include "app/model/issue.hpp"

using namespace lockstep;

namespace {

constexpr std::uint16_t kA = 10, kB = 20;

Access arithmetic(std::uint16_t line, std::uint32_t n) { return {n, 0, 0, 9, line, 0, 0, Kind::arithmetic}; }

// Every thread goes on with what `of(thread)` says.
template <class F>
Launch launch_of(int threads, F&& of) {
  Launch launch;
  launch.block = {threads, 1, 1};
  launch.trace.begin.push_back(0);
  for (int t = 0; t < threads; ++t) {
    for (const Access& a : std::vector<Access>(of(t))) launch.trace.events.push_back(a);
    launch.trace.begin.push_back(launch.trace.events.size());
  }
  return launch;
}

using Events = std::vector<Access>;

int cycles_of(const std::vector<WarpIssue>& warps) {
  std::vector<WarpProgram> programs;
  for (const WarpIssue& warp : warps) programs.push_back(arithmetic_program(warp));
  const int n = int(programs.size());
  return run_sm(h200_table(), programs, {n, n, Policy::greedy_youngest}).cycles;
}

}  // namespace

TEST_CASE("a branch by lane issues both sides, each for half of the lanes; by warp, only one") {
  const auto by_lane =
      issue_of(launch_of(64, [](int t) { return Events{arithmetic(t % 2 ? kB : kA, 100)}; }));
  const auto by_warp =
      issue_of(launch_of(64, [](int t) { return Events{arithmetic(t / 32 ? kB : kA, 100)}; }));
  REQUIRE(by_lane.size() == 2);
  REQUIRE(by_warp.size() == 2);
  for (const WarpIssue& warp : by_lane) {
    CHECK(warp.slots == 200);
    CHECK(warp.lane_slots == 32 * 100);
    CHECK(warp.efficiency() == doctest::Approx(0.5));
    REQUIRE(warp.steps.size() == 2);
    CHECK(warp.steps[0].instruction.lanes == 0x55555555);
    CHECK(warp.steps[1].instruction.lanes == 0xaaaaaaaa);
    CHECK(warp.steps[1].first == 100);
  }
  for (const WarpIssue& warp : by_warp) {
    CHECK(warp.slots == 100);
    CHECK(warp.efficiency() == doctest::Approx(1));
  }
}

TEST_CASE("a loop takes as many slots as its longest lane, a last warp has the lanes that exist") {
  const auto warps =
      issue_of(launch_of(40, [](int t) { return Events(std::size_t(t % 7 + 1), arithmetic(kA, 10)); }));
  REQUIRE(warps.size() == 2);
  CHECK(warps[0].slots == 70);
  CHECK(warps[0].steps.front().lanes() == 32);
  CHECK(warps[0].steps.back().lanes() == 4);  // lanes 6, 13, 20 and 27
  CHECK(warps[1].threads == 0xff);
  CHECK(warps[1].steps.front().lanes() == 8);
}

TEST_CASE("lanes leave a loop at different times, and the warp stores once all of them are through") {
  const auto warps = issue_of(launch_of(32, [](int t) {
    Events events(std::size_t(t < 16 ? 2 : 5), arithmetic(kA, 10));
    events.push_back(arithmetic(kB, 1));
    return events;
  }));
  REQUIRE(warps.at(0).steps.size() == 6);
  CHECK(warps[0].steps.back().instruction.line == kB);
  CHECK(warps[0].steps.back().lanes() == 32);
  CHECK(warps[0].steps[4].lanes() == 16);
}

TEST_CASE("lanes that contradict each other are folded all the same, each instruction once") {
  const auto warps = issue_of(launch_of(32, [](int t) {
    return t % 2 ? Events{arithmetic(kA, 1), arithmetic(kB, 1)}
                 : Events{arithmetic(kB, 1), arithmetic(kA, 1)};
  }));
  CHECK(warps.at(0).steps.size() == 2);
  CHECK(warps[0].slots == 2);
}

TEST_CASE(
    "a lone warp waits for each result, eight on a scheduler hide it, and both sides take twice the time") {
  const auto block = [](int warps, bool diverges) {
    return issue_of(
        launch_of(32 * warps, [=](int t) { return Events{arithmetic(diverges && t % 2 ? kB : kA, 256)}; }));
  };
  const double alone = cycles_of(block(1, false)), full = cycles_of(block(32, false));
  CHECK(alone == doctest::Approx(256 * 4).epsilon(0.02));
  CHECK(full == doctest::Approx(32 * 256 / 4).epsilon(0.08));
  CHECK(cycles_of(block(32, true)) == doctest::Approx(2 * full).epsilon(0.02));
  // Two chains of one warp: the lanes of one side do not wait for those of the other.
  CHECK(cycles_of(block(1, true)) == doctest::Approx(2 * alone).epsilon(0.02));
}

TEST_CASE("warps with programs of their own: the longest decides, a warp of none is done at once") {
  const auto program = [](int n) {
    WarpProgram p;
    for (int k = 0; k < n; ++k) p.instructions.push_back({});
    if (n) p.marks = {0, n - 1};
    return p;
  };
  const std::vector<WarpProgram> programs{program(10), program(0), program(300), program(10)};
  const SmRun run = run_sm(h200_table(), programs, {4, 4, Policy::greedy_youngest});
  CHECK(run.program_size == 300);
  CHECK(run.instructions() == 320);
  CHECK(run.at(2, run.cycles) == 300);
  CHECK(run.state(1, 0) == WarpState::done);
  CHECK(run.at(0, run.cycles - 1) == 10);
}
