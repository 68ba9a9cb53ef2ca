// The NVTX ranges of a run on the stages of the labs about launching.
#include <doctest/doctest.h>

#include <algorithm>

#include "app/draw/canvas_svg.hpp"
#include "app/labs/ranges_picture.hpp"

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
  const Lab& lab = *find_lab(run.request.lab);
  const StepAxis axis = lab.steps(run);
  Drawn drawn;
  for (int time = 0; time < (pointer ? 2 : 1); ++time) {  // once to know the areas
    SvgCanvas canvas(1100, 700, light_theme().ground);
    if (time == 1) canvas.put_pointer(*pointer, drawn.hits);
    drawn.events = {};
    lab.stage(canvas, {run, axis, step, {0, 0, 1100, 700}, light_theme(), 1, {}, 0}, drawn.events);
    drawn.texts = canvas.texts(), drawn.hits = canvas.hits(), drawn.tooltips = canvas.tooltips();
  }
  return drawn;
}

const RangesScene::Entry& named(const RangesScene& scene, const std::string& name) {
  for (const auto& entry : scene.entries)
    if (entry.note.name == name) return entry;
  FAIL("no entry " << name);
  return scene.entries.front();
}

}  // namespace

TEST_CASE("ranges are nested in the lane of their thread, a mark stands among them, loose ones have a lane") {
  const auto scene = ranges_scene(run_with(some_ranges()));
  const Timeline& t = scene->timeline;
  REQUIRE(t.lanes.size() == 2);
  CHECK(t.names[t.lanes[0].name] == "worker");
  CHECK(t.names[t.lanes[1].name] == "across threads");
  const auto span = [&](const char* name) { return t.at(*t.find(named(*scene, name).id)); };
  CHECK(span("timing/scale").depth == 0);
  CHECK(span("emulate").depth == 1);
  CHECK(span("inner").depth == 2);
  CHECK(span("25 % of the blocks").depth == 2);
  CHECK(span("25 % of the blocks").length_ns() == 0);
  CHECK(t.find(named(*scene, "an order waits").id)->lane == 1);
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
  const Lab& lab = *find_lab("timing");
  const StepAxis axis = lab.steps(run);
  REQUIRE(axis.steps.size() == 5);
  CHECK(lab.opening_step(run, axis) == 2);  // the longest part
  CHECK(lab.sentence(run, axis, 0).text().find("the thread “worker” ended it") != std::string::npos);
  CHECK(lab.sentence(run, axis, 2).text() ==
        "“emulate”, 5.00 ms: pushed at 1.00 ms by the thread “worker”; 4.00 ms of it are its own, the rest "
        "is in "
        "the ranges inside.");
  CHECK(lab.sentence(run, axis, 3).text() ==
        "Mark “25 % of the blocks” at 2.00 ms, set by the thread “worker”.");
  for (const Phase& phase : axis.phases) {
    CHECK(of_ranges(phase));
    CHECK_FALSE(lab.phase_name(run, phase).text().empty());
  }
  Run stopwatches = run;
  stopwatches.request.params["show"] = std::string("stopwatches");
  CHECK(lab.steps(stopwatches).steps.size() == 4);
}

TEST_CASE("ranges of a recorded run stand below this run's, and say where they were recorded") {
  Run run = run_with(some_ranges());
  Ranges there = some_ranges();
  there.threads[0] = "a GPU's worker", there.notes[1].end_ns = 2'000'000'000;
  run.evidence.set(kRecordedRangesMetric, to_text(there));
  run.provenance["metrics.ranges.recorded"] = "recorded: NVIDIA H200, 2026-11-22";
  const auto scene = ranges_scene(run);
  CHECK(scene->entries.size() == 10);
  CHECK(scene->recorded == 5);
  CHECK(scene->timeline.lanes.size() == 4);
  const Drawn drawn = draw(run);
  const auto *here = drawn.find("This run, on this computer"),
             *recorded = drawn.find("Recorded on NVIDIA H200, 2026-11-22: 2.00 s");
  REQUIRE((here && recorded));
  CHECK(here->rect.bottom() < recorded->rect.y);
  CHECK(ranges_opening_step(run) == 2);
}

TEST_CASE("a run without ranges says so and has no steps") {
  Run run = run_with(some_ranges());
  run.evidence = {};
  CHECK(find_lab("timing")->steps(run).steps.empty());
  CHECK(draw(run).find("This run holds no ranges"));
  run.evidence.set(kRangesMetric, std::string("1 t,;1 a,;0 0 0 0 0 -1,"));
  CHECK(find_lab("timing")->steps(run).steps.empty());
  CHECK(draw(run).find("the record of the run's ranges is damaged"));
  run.evidence = {};
  CHECK_FALSE(timeline_with_ranges(*find_lab("transpose"), run));
}

TEST_CASE("what is saved as a timeline holds the lab's lanes and the ranges, each with its kind's name") {
  const Run run = run_with(some_ranges());
  const auto both = timeline_with_ranges(*find_lab("timing"), run);
  REQUIRE(both);
  const auto alone = find_lab("timing")->timeline(run);
  CHECK(both->lanes.size() == alone->lanes.size() + 2);
  CHECK(both->span_count() == alone->span_count() + 5);
  for (const TimelineLane& lane : both->lanes)
    for (const TimelineSpan& span : lane.spans) {
      REQUIRE(span.kind < both->kinds.size());
      CHECK((both->kinds[span.kind].starts_with("nvtx")) == (lane.group == "NVTX"));
    }
  const auto only = timeline_with_ranges(*find_lab("transpose"), run);
  REQUIRE(only);
  CHECK(only->lanes.size() == 2);
}
