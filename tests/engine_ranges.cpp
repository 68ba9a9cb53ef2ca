// Named stretches of what the program does.
#include <doctest/doctest.h>

#include <thread>

#include "app/engine/ranges.hpp"

using namespace lockstep;

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
  CHECK(all.threads[std::size_t(all.notes[1].thread)] == "second");
}

TEST_CASE("a run that makes very many ranges keeps the first ones") {
  (void)take_ranges();
  for (std::size_t i = 0; i < kMostNotes + 10; ++i) const Range r("many");
  CHECK(take_ranges().notes.size() == kMostNotes);
}
