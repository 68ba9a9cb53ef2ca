// The record of a run's ranges: what it keeps, its text, and texts that are no record.
#include <doctest/doctest.h>

#include "app/model/ranges_record.hpp"

using namespace lockstep;

namespace {

RangeNote range(const char* name, int thread, std::int64_t start, std::int64_t end) {
  return {name, thread, thread, 0, false, start, end};
}
RangeNote mark_at(const char* name, int thread, std::int64_t at) {
  return {name, thread, thread, 0, true, at, at};
}

// As a process notes it, in the order of the ends; the run is "run", from 1000 on.
Ranges noted() {
  return {{range("earlier", 2, 100, 900),
           {"waits", 3, 2, -1, false, 400, 990},
           mark_at("before", 2, 950),
           range("load", 2, 1010, 1200),
           mark_at("half", 2, 1300),
           range("inner", 2, 1260, 1400),
           range("work", 2, 1250, 1500),
           range("other", 4, 1100, 1600),
           range("run", 2, 1000, 2000)},
          {"unused", "", "worker", "orders", ""}};
}

const RangeNote& named(const Ranges& ranges, const std::string& name) {
  for (const RangeNote& note : ranges.notes)
    if (note.name == name) return note;
  FAIL("no note " << name);
  return ranges.notes.front();
}

}  // namespace

TEST_CASE(
    "a run's ranges are counted from its start, nest as they hold one another, and name their threads") {
  const Ranges run = ranges_of_run(noted(), 1000);
  REQUIRE(run.notes.size() == 7);  // without the earlier range and the mark before the run
  CHECK(run.threads.size() == 3);
  CHECK(run.threads[std::size_t(named(run, "run").thread)] == "worker");
  CHECK(named(run, "run").start_ns == 0);
  CHECK(named(run, "run").depth == 0);
  CHECK(named(run, "load").depth == 1);
  CHECK(named(run, "inner").depth == 2);
  CHECK(named(run, "half").depth == 3);
  CHECK(named(run, "other").depth == 0);  // of its own thread
  const RangeNote& waits = named(run, "waits");
  CHECK(waits.loose());
  CHECK(waits.start_ns == -600);
  CHECK(run.threads[std::size_t(waits.thread)] == "orders");
  CHECK(run.threads[std::size_t(waits.end_thread)] == "worker");
}

TEST_CASE("a range's own time is what no range inside it takes") {
  const Ranges run = ranges_of_run(noted(), 1000);
  const auto own = own_ns(run);
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (run.notes[i].name == "run") CHECK(own[i] == 1000 - 190 - 250);
    if (run.notes[i].name == "work") CHECK(own[i] == 250 - 140);
    if (run.notes[i].name == "inner") CHECK(own[i] == 140);  // a mark takes none
  }
}

TEST_CASE("ranges come back from their text as they were") {
  const Ranges run = ranges_of_run(noted(), 1000);
  const auto back = parse_ranges(to_text(run));
  REQUIRE_MESSAGE(back, back.error().text());
  CHECK(*back == run);
  CHECK(parse_ranges(to_text({}))->notes.empty());
  Ranges odd = ranges_of_run({{range("ü, 3;\n", 0, 0, 5)}, {""}}, 0);
  CHECK(parse_ranges(to_text(odd))->notes.front().name == "??, 3;?");
}

TEST_CASE("a name that comes a thousand times stands in the text once") {
  Ranges many;
  many.threads = {""};
  for (int i = 0; i < 1000; ++i)
    many.notes.push_back(range("the same long name again", 0, i * 10, i * 10 + 5));
  CHECK(to_text(ranges_of_run(many, 0)).size() < 20 * 1000);
}

TEST_CASE("a stranger's ranges are refused, never read past their end") {
  const auto refused = [](const std::string& text) { return !parse_ranges(text); };
  CHECK_FALSE(refused("1 t,;1 a,1 b,;0 0 0 0 0 100,1 0 0 0 10 20,"));
  CHECK(refused(""));
  CHECK(refused("1 t,;1 a,"));
  CHECK(refused("9 t,;1 a,;"));  // the name is longer than the text
  CHECK(refused("-1 t,;1 a,;"));
  CHECK(refused("1 \n,;1 a,;"));
  CHECK(refused("1 t,;1 a,;1 0 0 0 0 100,"));      // no such name
  CHECK(refused("1 t,;1 a,;0 3 0 0 0 100,"));      // no such kind
  CHECK(refused("1 t,;1 a,;0 0 1 1 0 100,"));      // no such thread
  CHECK(refused("1 t,1 u,;1 a,;0 0 0 1 0 100,"));  // ends on another thread, yet nests
  CHECK(refused("1 t,;1 a,;0 0 0 0 0 -1,"));       // ends before it begins
  CHECK(refused("1 t,;1 a,;0 1 0 0 0 5,"));        // a mark that lasts
  CHECK(refused("1 t,;1 a,;0 0 0 0 0 9223372036854775807,"));
  CHECK(refused("1 t,;1 a,;0 0 0 0 600000000000000 600000000000000,"));  // ends after more than a week
  CHECK(refused("1 t,;1 a,;0 0 0 0 0 100,0 0 0 0 50 100,"));             // crosses the one before
  CHECK_FALSE(refused("1 t,1 u,;1 a,;0 0 0 0 0 100,0 0 1 1 50 100,"));   // of another thread
  CHECK_FALSE(refused("1 t,;1 a,;0 0 0 0 0 100,0 2 0 0 50 100,"));       // across threads
  const std::string whole = to_text(ranges_of_run(noted(), 1000));
  for (std::size_t length = 0; length + 1 < whole.size(); ++length)
    if (const auto cut = parse_ranges(std::string_view(whole).substr(0, length)))
      CHECK((whole[length - 1] == ',' || whole[length - 1] == ';'));  // between two notes
}

TEST_CASE("more ranges, threads or names than there can be are refused") {
  const auto repeated = [](const std::string& entry, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += entry;
    return all;
  };
  CHECK(parse_ranges("1 t,;1 a,;" + repeated("0 1 0 0 1 0,", kMostNotes)));
  CHECK_FALSE(parse_ranges("1 t,;1 a,;" + repeated("0 1 0 0 1 0,", kMostNotes + 1)));
  CHECK(parse_ranges(repeated("1 t,", 256) + ";;"));
  CHECK_FALSE(parse_ranges(repeated("1 t,", 257) + ";;"));
  CHECK_FALSE(parse_ranges(";" + repeated("1 a,", kMostNotes + 1) + ";"));
}

TEST_CASE("a run's ranges are found by its metric; damaged ones are none") {
  Run run;
  CHECK_FALSE(ranges_of(run));
  run.evidence.set(kRangesMetric, to_text(ranges_of_run(noted(), 1000)));
  CHECK(ranges_of(run)->notes.size() == 7);
  CHECK_FALSE(ranges_of(run, kRecordedRangesMetric));
  run.evidence.set(kRangesMetric, std::string("1 t,;"));
  CHECK_FALSE(ranges_of(run));
  run.evidence.set(kRangesMetric, 5.0);
  CHECK_FALSE(ranges_of(run));
}
