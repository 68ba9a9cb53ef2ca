// The NVTX ranges of a run on the stages of the labs about launching.
#include <doctest/doctest.h>

#include <algorithm>

#include "app/draw/canvas_svg.hpp"
#include "app/labs/ranges_scene.hpp"

using namespace lockstep;

namespace {

Ranges some_ranges() {
  return {{{"an order waits", 1, 0, -1, false, -50'000, -10'000},
           {"timing/scale", 0, 0, 0, false, 0, 10'000'000},
           {"emulate", 0, 0, 1, false, 1'000'000, 6'000'000},
           {"25 % of the blocks", 0, 0, 2, true, 2'000'000, 2'000'000},
           {"inner", 0, 0, 2, false, 4'000'000, 5'000'000}},
          {"worker", ""}};
}

Run run_with(const Ranges& ranges, const char* lab = "timing", const char* rung = "scale") {
  Run run;
  run.request.lab = lab, run.request.rung = rung;
  run.request.params = *complete_params(find_lab(lab)->info(), rung, {{"show", std::string("ranges")}});
  run.evidence.set(kRangesMetric, to_text(ranges));
  run.provenance["metrics.ranges"] = "measured";
  return run;
}

struct Drawn {
  std::vector<SvgCanvas::DrawnText> texts;
  std::vector<SvgCanvas::DrawnHit> hits;
  std::vector<std::string> tooltips;
  StageEvents events;
  const SvgCanvas::DrawnText* find(const std::string& text) const {
    const auto at =
        std::find_if(texts.begin(), texts.end(), [&](const auto& t) { return t.text.find(text) == 0; });
    return at == texts.end() ? nullptr : &*at;
  }
};

Drawn draw(const Run& run, int step = 0, const std::optional<SvgCanvas::Pointer>& pointer = {}) {
  const auto scene = open_run(run);
  Drawn drawn;
  for (int time = 0; time < (pointer ? 2 : 1); ++time) {  // once to know the areas
    SvgCanvas canvas(1100, 700, light_theme().ground);
    if (time == 1) canvas.put_pointer(*pointer, drawn.hits);
    drawn.events = {};
    scene->stage(canvas, {{step}, {0, 0, 1100, 700}, light_theme()}, drawn.events);
    drawn.texts = canvas.texts(), drawn.hits = canvas.hits(), drawn.tooltips = canvas.tooltips();
  }
  return drawn;
}

const RangeEntry& named(const RunRanges& ranges, const std::string& name) {
  for (const RangeEntry& entry : ranges.entries)
    if (entry.note.name == name) return entry;
  FAIL("no entry " << name);
  return ranges.entries.front();
}

}  // namespace

TEST_CASE("ranges are nested in the lane of their thread, a mark stands among them, loose ones have a lane") {
  const RunRanges ranges = run_ranges(run_with(some_ranges()));
  const Timeline& t = ranges.timeline;
  REQUIRE(t.lanes.size() == 2);
  CHECK(t.names[t.lanes[0].name] == "worker");
  CHECK(t.names[t.lanes[1].name] == "across threads");
  const auto span = [&](const char* name) { return t.at(*t.find(named(ranges, name).id)); };
  CHECK(span("timing/scale").depth == 0);
  CHECK(span("emulate").depth == 1);
  CHECK(span("inner").depth == 2);
  CHECK(span("25 % of the blocks").depth == 2);
  CHECK(span("25 % of the blocks").length_ns() == 0);
  CHECK(t.find(named(ranges, "an order waits").id)->lane == 1);
  CHECK(RangeKind(span("25 % of the blocks").kind) == RangeKind::mark);
  CHECK(RangeKind(span("inner").kind) == RangeKind::inner);
}

TEST_CASE("on both labs' stages a range stands below the one around it, and each colour has its word") {
  using Name = std::pair<const char*, const char*>;
  for (const Name& of : {Name{"timing", "scale"}, Name{"graphs", "chain"}, Name{"graphs", "decode"}}) {
    CAPTURE(of.second);
    const Drawn drawn = draw(run_with(some_ranges(), of.first, of.second));
    const auto *whole = drawn.find("timing/scale"), *part = drawn.find("emulate"),
               *inner = drawn.find("inner"), *mark = drawn.find("25 % of the blocks");
    REQUIRE((whole && part && inner && mark));
    CHECK(whole->rect.bottom() <= part->rect.center().y);
    CHECK(part->rect.bottom() <= inner->rect.center().y);
    CHECK(mark->rect.center().y == doctest::Approx(inner->rect.center().y));
    for (const char* word : {"the whole run", "a range in it", "a range in that", "mark", "across threads"})
      CHECK(drawn.find(word));
    CHECK(drawn.find("This run, on this computer: 10.0 ms"));
  }
}

TEST_CASE("the pointer on a range across threads is told where it began and where it ended") {
  Ranges ranges = some_ranges();
  ranges.notes[0].end_ns = 5'000'000;
  const Run run = run_with(ranges);
  const Drawn all = draw(run);
  const auto* name = all.find("an order waits");
  REQUIRE(name);
  const Drawn over = draw(run, 0, SvgCanvas::Pointer{name->rect.center(), true});
  REQUIRE(over.tooltips.size() == 1);
  CHECK(over.tooltips[0].find("begun by “thread 2”, ended by “worker”") != std::string::npos);
  CHECK(over.events.go_to_step == 0);
}

TEST_CASE("a step is a range or a mark in the order of their starts, and its sentence says what it is") {
  const Run run = run_with(some_ranges());
  const auto scene = open_run(run);
  REQUIRE(scene->axis().count() == 5);
  CHECK(scene->opening_step(0) == 2);  // the longest part
  CHECK(scene->sentence({0}).text().find("the thread “worker” ended it") != std::string::npos);
  CHECK(scene->sentence({2}).text() ==
        "“emulate” took 5.00 ms. The thread “worker” began it at 1.00 ms; 4.00 ms of it is its own time, the "
        "rest belongs to the ranges inside it.");
  CHECK(scene->sentence({3}).text() == "The thread “worker” set the mark “25 % of the blocks” at 2.00 ms.");
  const auto figures = scene->headline({2});
  REQUIRE(figures.size() == 3);
  CHECK(figures[0].value == "5.00 ms");
  CHECK(figures[1].value == "4.00 ms");
  for (const Phase& phase : scene->axis().phases()) CHECK_FALSE(scene->phase_name(phase).text().empty());
  Run stopwatches = run;
  stopwatches.request.params["show"] = std::string("stopwatches");
  CHECK(open_run(stopwatches)->axis().count() == 4);
}

TEST_CASE("a range is found by its name in another rung's run; the whole run is the whole run everywhere") {
  Ranges there = some_ranges();
  there.notes[1].name = "graphs/chain";
  there.notes.insert(there.notes.begin() + 2, {"capture", 0, 0, 1, false, 500'000, 900'000});
  const auto from = open_run(run_with(some_ranges())), to = open_run(run_with(there, "graphs", "chain"));
  const auto aligned = [&](int step) { return aligned_step(from->axis(), step, to->axis()); };
  CHECK(aligned(1).step == 1);
  CHECK(aligned(2).step == 3);  // "emulate"
  CHECK(to->step_title({aligned(4).step}).text().starts_with("inner"));
}

TEST_CASE("ranges of a recorded run stand below this run's, and say where they were recorded") {
  Run run = run_with(some_ranges());
  Ranges there = some_ranges();
  there.threads[0] = "a GPU's worker", there.notes[1].end_ns = 2'000'000'000;
  run.evidence.set(kRecordedRangesMetric, to_text(there));
  run.provenance["metrics.ranges.recorded"] = "recorded: NVIDIA H200, 2026-11-22";
  const RunRanges ranges = run_ranges(run);
  CHECK(ranges.entries.size() == 10);
  CHECK(ranges.recorded == 5);
  CHECK(ranges.timeline.lanes.size() == 4);
  const Drawn drawn = draw(run);
  const auto *here = drawn.find("This run, on this computer"),
             *recorded = drawn.find("Recorded on NVIDIA H200, 2026-11-22: 2.00 s");
  REQUIRE((here && recorded));
  CHECK(here->rect.bottom() < recorded->rect.y);
  CHECK(open_run(run)->opening_step(0) == 2);
}

TEST_CASE("a run without ranges says so and has no steps") {
  Run run = run_with(some_ranges());
  run.evidence = {};
  CHECK(open_run(run)->axis().empty());
  CHECK(draw(run).find("This run holds no ranges"));
  run.evidence.set(kRangesMetric, std::string("1 t,;1 a,;0 0 0 0 0 -1,"));
  CHECK(open_run(run)->axis().empty());
  CHECK(draw(run).find("the record of the run's ranges is damaged"));
  Run without_clock = run_with({});
  without_clock.request.lab = "transpose", without_clock.request.rung = "copy";
  without_clock.launches.resize(1), without_clock.evidence = {};
  CHECK_FALSE(timeline_with_ranges(*open_run(without_clock)));
}

TEST_CASE("what is saved as a timeline holds the lab's lanes and the ranges, each with its kind's name") {
  const Run run = run_with(some_ranges());
  const auto both = timeline_with_ranges(*open_run(run));
  REQUIRE(both);
  const auto alone = open_run(run)->timeline();
  CHECK(both->lanes.size() == alone->lanes.size() + 2);
  CHECK(both->span_count() == alone->span_count() + 5);
  for (const TimelineLane& lane : both->lanes)
    for (const TimelineSpan& span : lane.spans) {
      REQUIRE(span.kind < both->kinds.size());
      CHECK((both->kinds[span.kind].starts_with("nvtx")) == (lane.group == "NVTX"));
    }
  Run without_clock = run;
  without_clock.request.lab = "transpose", without_clock.request.rung = "copy";
  const auto only = timeline_with_ranges(*open_run(without_clock));
  REQUIRE(only);
  CHECK(only->lanes.size() == 2);
}
