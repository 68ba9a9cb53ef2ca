// Named stretches of what the program does.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/engine/engine.hpp"
#include "app/platform/ranges.hpp"
#include "engine_support.hpp"
#include "kernels/ladder.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

Result<Run> emulated(const char* lab, const char* rung) {
  Request request;
  request.lab = lab, request.rung = rung, request.engine = EngineKind::emulator;
  request.params = *complete_params(find_ladder(lab)->info, rung, {});
  return run_request({nullptr, make_emulator_engine(), nullptr}, request, kSilent);
}

const RangeNote* named(const Ranges& ranges, const std::string& name) {
  const auto at = std::find_if(ranges.notes.begin(), ranges.notes.end(),
                               [&](const RangeNote& note) { return note.name == name; });
  return at == ranges.notes.end() ? nullptr : &*at;
}

}  // namespace

TEST_CASE("ranges of a thread nest, and end from the inside out") {
  (void)take_ranges();
  {
    const Range outer("outer");
    { const Range first("first"); }
    mark("between");
    { const Range second("second"); }
  }
  const Ranges all = take_ranges();
  REQUIRE(all.notes.size() == 4);
  CHECK(all.notes[0].name == "first");
  CHECK(all.notes[1].mark);
  CHECK(all.notes[3].name == "outer");
  CHECK(all.notes[3].depth == 0);
  for (int i : {0, 2}) {
    const RangeNote& inner = all.notes[std::size_t(i)];
    CHECK(inner.depth == 1);
    CHECK(inner.start_ns >= all.notes[3].start_ns);
    CHECK(inner.end_ns <= all.notes[3].end_ns);
  }
  CHECK(all.notes[0].end_ns <= all.notes[1].start_ns);
  CHECK(all.notes[1].end_ns <= all.notes[2].start_ns);
  CHECK(take_ranges().notes.empty());
}

TEST_CASE("a loose range ends on another thread, once, and is told by the thread that began it") {
  (void)take_ranges();
  name_this_thread("first");
  LooseRange begun("across");
  std::thread other([moved = std::move(begun)]() mutable {
    name_this_thread("second");
    const Range inner("there");
    moved.end();
    moved.end();
  });
  other.join();
  const Ranges all = take_ranges();
  REQUIRE(all.notes.size() == 2);
  CHECK(all.notes[0].name == "across");
  CHECK(all.notes[0].depth == -1);
  CHECK(all.notes[0].thread != all.notes[1].thread);
  CHECK(all.threads[std::size_t(all.notes[0].thread)] == "first");
  CHECK(all.threads[std::size_t(all.notes[0].end_thread)] == "second");
  CHECK(all.threads[std::size_t(all.notes[1].thread)] == "second");
}

TEST_CASE("of very many ranges the first ones are kept, and all that is around them") {
  (void)take_ranges();
  {
    const Range outer("outer");
    for (std::size_t i = 0; i < kMostNotes + 10; ++i) const Range r("many");
    for (int i = 0; i < 10; ++i) mark("late");
  }
  const Ranges all = take_ranges();
  CHECK(all.notes.size() == kMostNotes);
  CHECK(all.notes.back().name == "outer");
  { const Range again("again"); }
  CHECK(take_ranges().notes.size() == 1);
}

TEST_CASE("a run of the emulator carries its ranges: the whole of it, and in it its parts") {
  mark("before the run");
  const Range around("around the run");
  const auto run = emulated("timing", "scale");
  REQUIRE(run);
  CHECK(provenance_of(*run, "metrics.ranges.record") == "measured");
  const auto ranges = ranges_of(*run);
  REQUIRE(ranges);
  CHECK_FALSE(named(*ranges, "before the run"));
  const RangeNote* whole = named(*ranges, "timing/scale");
  REQUIRE(whole);
  CHECK(whole->depth == 0);
  CHECK(whole->start_ns == 0);
  std::int64_t before = 0;
  for (const char* name : {"prepare data", "sample a block", "emulate", "check", "models and recordings"}) {
    CAPTURE(name);
    const RangeNote* part = named(*ranges, name);
    REQUIRE(part);
    CHECK(part->depth == 1);
    CHECK(part->start_ns >= before);
    CHECK(part->end_ns <= whole->end_ns);
    before = part->end_ns;
  }
  int marks = 0;
  for (const RangeNote& note : ranges->notes)
    if (note.mark) {
      ++marks;
      CHECK(note.start_ns >= named(*ranges, "emulate")->start_ns);
      CHECK(note.start_ns <= named(*ranges, "emulate")->end_ns);
    }
  CHECK(marks == 3);
}

TEST_CASE("one run's ranges are not the next one's") {
  REQUIRE(emulated("timing", "scale"));
  const auto run = emulated("banks", "strided");
  REQUIRE_MESSAGE(run, run.error().text());
  const auto ranges = ranges_of(*run);
  REQUIRE(ranges);
  CHECK(named(*ranges, "banks/strided"));
  CHECK_FALSE(named(*ranges, "timing/scale"));
}

TEST_CASE(
    "through a worker, the order that waited begins on the thread that read it and ends on the one that runs "
    "it") {
  const auto result =
      run_program({"run", "timing", "--set", "elements=1024", "--engine", "emulator", "--json"});
  REQUIRE_MESSAGE(result.exit == 0, result.err);
  const auto json = nlohmann::json::parse(result.out);
  const auto ranges = parse_ranges(json["metrics"]["ranges"]["record"].get<std::string>());
  REQUIRE(ranges);
  const RangeNote* order = named(*ranges, "an order waits");
  REQUIRE(order);
  CHECK(order->loose());
  CHECK(order->end_ns <= 0);  // before the run
  CHECK(ranges->threads[std::size_t(order->thread)] == "orders");
  CHECK(ranges->threads[std::size_t(order->end_thread)] == "worker");
  CHECK(named(*ranges, "timing/scale")->thread == order->end_thread);
}

TEST_CASE("what a run says of itself in words leaves the records of its pictures out") {
  const auto result = run_program({"run", "timing", "--set", "elements=1024", "--engine", "emulator"});
  CHECK(result.exit == 0);
  for (const char* name : {".record", ".runs"}) CHECK(result.out.find(name) == std::string::npos);
}
