// The scheduler's lab: one step per cycle, and a sentence that says why this warp.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/draw/canvas_svg.hpp"
#include "app/draw/language.hpp"
#include "app/engine/engine.hpp"
#include "app/labs/scheduler/scene.hpp"
#include "kernels/ladder.hpp"
#include "places.hpp"

using namespace lockstep;

namespace {

Run run_with(const Params& given) {
  Run run;
  run.request.lab = "scheduler", run.request.rung = "chain";
  run.request.params = *complete_params(find_lab("scheduler")->info(), "chain", given);
  run.launches.resize(1);
  return run;
}

Value i(std::int64_t x) { return x; }

// Of the first cycle from the middle on of which `holds` is true.
template <class F>
std::string sentence_where(const Run& run, F holds) {
  const SchedulerScene scene(std::make_shared<const Run>(run));
  const SmRun& sm = scene.played.sm;
  for (int c = 1; c < sm.cycles; ++c)
    if (holds(sm, c)) return scene.sentence({c}).text();
  return "";
}

bool contains(const std::string& text, const char* part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("a step is a cycle, the phases cover all of them, and lines are lit where instructions issue") {
  for (const Params& given :
       {Params{}, Params{{"warps", i(1)}}, Params{{"warps", i(64)}, {"barrier_every", i(1)}}}) {
    const SchedulerScene scene(std::make_shared<const Run>(run_with(given)));
    const SmRun& sm = scene.played.sm;
    REQUIRE(scene.steps.count() == sm.cycles);
    int next = 0;
    for (const Phase& phase : scene.steps.phases()) {
      CHECK(phase.first == next);
      next += phase.count;
    }
    CHECK(next == sm.cycles);
    for (int c = 0; c < sm.cycles; ++c) {
      // Where something issues its lines, else those at which the warps wait.
      std::set<std::uint16_t> issue, wait;
      for (int w = 0; w < sm.warps; ++w) {
        const std::uint16_t line = scene.played.line_of(w, c);
        if (sm.state(w, c) == WarpState::selected) issue.insert(line);
        if (line > 0) wait.insert(line);
      }
      const auto& lit = scene.steps.lines(c).lines;
      REQUIRE(std::set<std::uint16_t>(lit.begin(), lit.end()) == (issue.empty() ? wait : issue));
      REQUIRE(!lit.empty());
    }
    CHECK(scene.opening_step(0) < sm.cycles);
  }
}

TEST_CASE("the sentence follows the warp that is looked at, whatever the run was asked to follow") {
  const Run run = run_with({});
  const auto scene = open_run(run);
  for (const int warp : {0, 1, 6})
    CHECK(contains(scene->sentence({100, warp}).text(), ("scheduler " + std::to_string(warp % 4)).c_str()));
}

TEST_CASE("a cycle is found in a run of other settings, the last one where it is shorter") {
  const auto two = open_run(run_with({{"warps", i(2)}})), many = open_run(run_with({{"warps", i(64)}}));
  REQUIRE(two->axis().count() < many->axis().count());
  CHECK(aligned_step(two->axis(), 100, many->axis()).step == 100);
  CHECK(aligned_step(many->axis(), many->axis().count() - 1, two->axis()).step == two->axis().count() - 1);
}

TEST_CASE("the sentence says why: nobody can go on, nobody else can, greedy, or the youngest") {
  const Run run = run_with({});
  const auto others = [](const SmRun& sm, int c) {
    int count = 0;
    for (int w = 0; w < sm.warps; w += kSubCores) count += sm.state(w, c) == WarpState::not_selected;
    return count;
  };
  CHECK(contains(sentence_where(run, [&](const SmRun& sm, int c) { return sm.selected(0, c) < 0; }),
                 "issues nothing"));
  CHECK(contains(
      sentence_where(run, [&](const SmRun& sm, int c) { return sm.selected(0, c) >= 0 && !others(sm, c); }),
      "the only one"));
  CHECK(contains(sentence_where(run,
                                [&](const SmRun& sm, int c) {
                                  return others(sm, c) && sm.selected(0, c) >= 0 &&
                                         sm.selected(0, c) == sm.selected(0, c - 1);
                                }),
                 "issued last and can still go on"));
  CHECK(contains(sentence_where(run,
                                [&](const SmRun& sm, int c) {
                                  return others(sm, c) && sm.selected(0, c) >= 0 &&
                                         sm.selected(0, c - 1) >= 0 &&
                                         sm.selected(0, c) != sm.selected(0, c - 1);
                                }),
                 "the youngest that can go on"));
}

TEST_CASE(
    "the headline: who could issue, how long the followed warp has been so, how full the issue slots are") {
  const SchedulerScene scene(std::make_shared<const Run>(run_with({})));
  const SmRun& sm = scene.played.sm;
  int issued = 0;
  for (int c = 0; c < sm.cycles; ++c) issued += sm.selected(1, c) >= 0;
  for (const int cycle : {0, 1, 500, 1617, sm.cycles - 1}) {
    const auto figures = scene.headline({cycle, 5});  // of scheduler 1
    REQUIRE(figures.size() == 3);
    int could = 0, since = 0;
    for (int w = 1; w < sm.warps; w += kSubCores)
      could += sm.state(w, cycle) == WarpState::selected || sm.state(w, cycle) == WarpState::not_selected;
    while (since <= cycle && sm.state(5, cycle - since) == sm.state(5, cycle)) ++since;
    CHECK(figures[0].value == std::to_string(could) + " of 8");
    CHECK(figures[0].trouble == (could == 0));
    CHECK(std::stoi(figures[1].value) == since);
    CHECK(contains(figures[1].note, tr(state_meaning(sm.state(5, cycle))).c_str()));
    CHECK(std::stoi(figures[2].value) == std::lround(100.0 * issued / sm.cycles));
    CHECK(figures[0].provenance == kModelError);
  }
}

TEST_CASE("a state is named with what it waits for, in full and in short") {
  for (int s = 0; s < kWarpStates; ++s) {
    const std::string full = state_in_full(WarpState(s)).text();
    CAPTURE(full);
    CHECK(full.starts_with(state_label(WarpState(s)).text()));
    CHECK_FALSE(state_meaning(WarpState(s)).text().empty());
  }
  CHECK(contains(state_in_full(WarpState::long_scoreboard).text(), "waits for global memory"));
}

TEST_CASE("on a full stage and on a low one stands why this warp, in words, and nothing is cut") {
  const SchedulerScene scene(std::make_shared<const Run>(run_with({})));
  for (const Rect area : {Rect{0, 0, 733, 660}, Rect{0, 0, 540, 460}}) {
    SvgCanvas canvas(area.w, area.h, light_theme().ground);
    StageEvents events;
    const int cycle = scene.opening_step(0);
    scene.stage(canvas, {{cycle}, area, light_theme()}, events);
    std::set<std::string> texts;
    for (const auto& text : canvas.texts()) {
      texts.insert(text.text);
      CAPTURE(text.text);
      CHECK(text.text.find("…") == text.text.npos);
      CHECK(text.rect.bottom() <= area.bottom());
    }
    CHECK(texts.contains("Why warp " + std::to_string(scene.played.sm.selected(0, cycle)) + "?"));
    for (const int w : scene.played.warps_of(0))
      CHECK(texts.contains(tr(state_meaning(scene.played.sm.state(w, cycle)))));
  }
}

TEST_CASE("Little's line, the model and the measured dots agree where latency is all that counts") {
  const ThroughputCurve curve =
      throughput_curve(played_warps(run_with({{"ilp", i(1)}, {"fma_per_load", i(1)}})));
  REQUIRE(curve.recorded.size() >= 10);
  const double slope = curve.little[1].y / curve.little[1].x;
  for (const PlotPoint& dot : curve.recorded) {
    if (dot.x > 24) continue;
    CHECK(dot.y == doctest::Approx(dot.x * slope).epsilon(0.15));
  }
  for (const PlotPoint& point : curve.model) CHECK(point.y <= point.x * slope * 1.06);
}

TEST_CASE("a saved run without the model's settings, or with odd ones, is drawn with what is possible") {
  Run run = run_with({});
  run.request.params.erase("latency"), run.request.params.erase("policy"), run.request.params.erase("zoom");
  CHECK(played_warps(run).latency == mean_latency(h200_table()));
  run.request.params = {
      {"warps", std::int64_t{1} << 40}, {"ilp", std::string("many")}, {"fma_per_load", i(-3)}};
  CHECK(played_warps(run).setting.warps == 64);
  CHECK(played_warps(run).setting.ilp == 2);
  CHECK(played_warps(run).setting.fma_per_load == 0);
  CHECK(played_warps(run).sm.cycles > 0);
}

TEST_CASE("most common states leave out what is done, unless all is") {
  const PlayedWarps played = played_warps(run_with({{"warps", i(2)}}));
  const SmRun& sm = played.sm;
  CHECK(most_common(sm, 0, 2, {0, sm.cycles}) == WarpState::long_scoreboard);
  int end = 0;
  while (end < sm.cycles && sm.state(0, end) != WarpState::done) ++end;
  if (end < sm.cycles) CHECK(most_common(sm, 0, 1, {end, sm.cycles}) == WarpState::done);
}

namespace {

Run emulated(const Params& given, bool with_recordings = false) {
  Engines engines{nullptr, make_emulator_engine(), nullptr};
  if (with_recordings) engines.recording = make_recording_engine({in_source("assets/recordings")});
  Request request = run_with(given).request;
  request.engine = EngineKind::emulator;
  auto run = run_request(engines, request, [](const Progress&) { return true; });
  REQUIRE(run.ok());
  return std::move(*run);
}

}  // namespace

TEST_CASE("every kernel that can be played gives a program, whose states sum up, on lines of its own source" *
          doctest::test_suite("slow")) {
  const Lab& lab = *find_lab("scheduler");
  for (const Parameter& p : lab.info().parameters) {
    if (p.name != "program") continue;
    CHECK(p.choices.size() > 20);
    for (const std::string& choice : p.choices) {
      CAPTURE(choice);
      const Run run = emulated({{"program", choice}, {"warps", i(16)}});
      const SchedulerScene scene(std::make_shared<const Run>(run));
      const PlayedWarps& played = scene.played;
      CHECK(played.own() == (choice == "chain"));
      CHECK(played.sm.warps % played.sm_setting(16).warps_per_block == 0);
      CHECK(provenance_of(run, "metrics.model.cycles") == (played.own() ? kModelError : "modelled"));
      double sum = 0;
      for (int s = 0; s < kWarpStates; ++s)
        sum += *real_metric(run, std::string("model.stalls.") + name_of(WarpState(s)));
      CHECK(sum == doctest::Approx(1));
      const auto source = kernel_source(scene.file);
      const auto lines = std::count(source.begin(), source.end(), '\n');
      // The accesses of banks stand in the harness that its rungs share, and so do their lines.
      if (!choice.starts_with("banks/"))
        for (const WarpProgram& program : played.block.programs)
          for (const SmInstruction& instruction : program.instructions) REQUIRE(instruction.line <= lines);
      if (!played.own()) CHECK(played.sm.cycles == *whole_metric(run, "model.cycles"));
    }
  }
}

TEST_CASE(
    "a tiled product waits for shared memory on the short scoreboard; what a GPU took of the chains is left "
    "out") {
  const Run run = emulated({{"program", std::string("gemm/shared")}});
  CHECK(*real_metric(run, "model.stalls.short_scoreboard") > 0.2);
  CHECK(*real_metric(run, "model.stalls.barrier") > 0);
  CHECK(*real_metric(emulated({}), "model.stalls.short_scoreboard") == 0);
  const SchedulerScene scene(std::make_shared<const Run>(run));
  CHECK(scene.shown_source() == "gemm/03_shared.cuh");
  CHECK(scene.steps.lines(0).file == file_id("gemm/03_shared.cuh"));
  for (const NumberRow& row : scene.numbers()) CHECK(!row.path.starts_with("metrics.recorded"));
  CHECK(!run.metrics().contains("model.error"));
  CHECK(scene.curve.recorded.empty());
  CHECK(scene.curve.model.front().x == 8);  // one block
}

TEST_CASE("padding takes the short scoreboard out of a transpose; a damaged program is drawn as the chains") {
  const auto waits = [](const char* program) {
    return *real_metric(emulated({{"program", std::string(program)}}), "model.stalls.short_scoreboard");
  };
  CHECK(waits("transpose/tiled") > 2 * waits("transpose/padded"));
  Run run = emulated({{"program", std::string("transpose/padded")}});
  CHECK(!played_warps(run).own());
  run.evidence.set("played.program", std::string("0 0 9 0 4 1 0;"));
  CHECK(played_warps(run).own());
  run.evidence.set("played.program", std::string("0 0 0 0 4 1 0;"));
  run.evidence.set("played.rung", std::string("no/such"));
  CHECK(played_warps(run).own());
}

TEST_CASE("what fits an SM is that of these blocks, with registers as recorded of the same compiled chains" *
          doctest::test_suite("slow")) {
  const auto of = [](const Params& given) { return emulated(given, true).occupancy; };
  const auto recorded = of({});
  if (!recorded) return;  // stale recordings say nothing
  for (const std::int64_t warps : {8, 20, 48, 64}) {
    const Run run = emulated({{"warps", i(warps)}}, true);
    REQUIRE(run.occupancy);
    CHECK(run.occupancy->threads_per_block == 32 * (warps > 32 ? warps / 2 : warps));
    CHECK(run.occupancy->registers == recorded->registers);
    CHECK(run.occupancy->warps_per_sm * 32 ==
          run.occupancy->blocks_per_sm * run.occupancy->threads_per_block);
    CHECK((provenance_of(run, "occupancy.blocks_per_sm") == "modelled, error 0") ==
          (run.occupancy->threads_per_block != recorded->threads_per_block));
    CHECK(provenance_of(run, "occupancy.registers").is(Provenance::Kind::recorded));
  }
  CHECK(!of({{"ilp", i(4)}}));  // another kernel, whose registers were not recorded
}

TEST_CASE("settings of the chains are said to be without effect where another kernel is played") {
  const LabInfo& lab = find_lab("scheduler")->info();
  const Params own = *complete_params(lab, "chain", {}),
               other = *complete_params(lab, "chain", {{"program", std::string("gemm/shared")}});
  const std::set<std::string> of_chains{"fma_per_load", "barrier_every"};
  for (const Parameter& p : lab.parameters) {
    CAPTURE(p.name);
    CHECK(!without_effect(p, own));
    REQUIRE((without_effect(p, other) != nullptr) == of_chains.contains(p.name));
    if (!of_chains.contains(p.name)) continue;
    CHECK(without_effect(p, other)->first == "program");
    // And so it is.
    Params more = other;
    more[p.name] = i(8);
    CHECK(played_warps(emulated(more)).sm.states == played_warps(emulated(other)).sm.states);
  }
}

TEST_CASE("the phase strip says that a cycle is time, and elsewhere that the order is not") {
  const auto scene = open_run(run_with({}));
  CHECK(contains(scene->phase_place(scene->axis().phases().front()).text(), "the order is time"));
  Run copy = run_with({});
  copy.request.lab = "transpose", copy.request.rung = "copy";
  CHECK(contains(open_run(copy)->phase_place({}).text(), "not time"));
}

TEST_CASE("a kernel with units has its producer and its warpgroups on the stage, and what the units do") {
  const Run run = emulated({{"program", std::string("gemm/specialized")}, {"warps", i(32)}});
  const SchedulerScene scene(std::make_shared<const Run>(run));
  const PlayedWarps& p = scene.played;
  REQUIRE(p.sm.warps == 12);  // one block, whatever was asked for
  CHECK(p.part_of(0) == PlayedWarps::Part::fetches);
  CHECK(p.part_of(1) == PlayedWarps::Part::none);
  for (int w = 4; w < 12; ++w) CHECK(p.part_of(w) == PlayedWarps::Part::multiplies);
  CHECK(*real_metric(run, "model.stalls.long_scoreboard_mbarrier") > 0.1);
  CHECK(*real_metric(run, "model.stalls.long_scoreboard_arrivals") > 0);
  CHECK(*real_metric(run, "model.stalls.barrier_wgmma") > 0);
  CHECK(*real_metric(run, "model.stalls.long_scoreboard") == 0);  // no thread loads anything
  std::string warnings;
  for (const Message& warning : run.warnings) warnings += warning.text() + "\n";
  CHECK(contains(warnings, "12 warps"));
  CHECK(contains(warnings, "off those of one block on an H200"));
  // As many boxes as are under way in a cycle, and cores that work, are drawn; every warp is named with its
  // part.
  int boxes = 0, work = 0;
  for (const int in_flight : p.boxes) boxes = std::max(boxes, in_flight);
  for (const auto& core : p.tensor) work += int(std::count(core.begin(), core.end(), std::uint8_t{1}));
  CHECK(boxes > 1);
  CHECK(work > p.sm.cycles);  // of four sub-cores
  // Who waits at a barrier says at which one and for what; and what is busy there is the tensor core.
  const auto first_in = [&](int warp, WarpState state) {
    int cycle = 0;
    while (cycle + 1 < p.sm.cycles && p.sm.state(warp, cycle) != state) ++cycle;
    return cycle;
  };
  const int boxes_wait = first_in(4, WarpState::mbarrier), room_wait = first_in(0, WarpState::mbarrier_warps);
  CHECK(p.doing(4, boxes_wait) == "waits for boxes: full[0]");
  CHECK(p.doing(0, room_wait) == "waits for other warps: empty[0]");
  CHECK(scene.headline({boxes_wait, 4})[1].note == "warp 4: waits at full[0]");
  const int knows_soon = first_in(4, WarpState::mbarrier_over);
  CHECK(p.told(4, knows_soon) == "warp 4: learns that full[0] is ready");
  CHECK(contains(scene.sentence({room_wait}).text(), "warp 0: waits at empty[0]"));
  // That no warp can go on is trouble where the tensor core has nothing to do, and nowhere else.
  int idle = 0, works = 0;
  for (int c = 0; c < p.sm.cycles; ++c) {
    const HeadFigure could = scene.headline({c})[0];
    if (!could.value.starts_with("0 ")) continue;
    CHECK(could.trouble == !p.tensor[0][std::size_t(c)]);
    ++(p.tensor[0][std::size_t(c)] ? works : idle);
  }
  CHECK(idle > 0);
  CHECK(works > 0);
  const HeadFigure busy = scene.headline({0})[2];
  CHECK(std::stoi(busy.value) == std::lround(100.0 * p.tensor_cycles(0) / p.sm.cycles));
  CHECK(busy.unit == "tensor busy");
  CHECK(p.barrier_of(4, p.sm.cycles - 1).empty());
  SvgCanvas canvas(733, 660, light_theme().ground);
  StageEvents events;
  scene.stage(canvas, {{boxes_wait, 4}, {0, 0, 733, 660}, light_theme()}, events);
  std::multiset<std::string> texts;
  for (const auto& text : canvas.texts()) {
    texts.insert(text.text);
    CAPTURE(text.text);
    CHECK(text.text.find("…") == text.text.npos);
  }
  CHECK(texts.count("fetches") == 1);
  CHECK(texts.count("multiplies") == 2);
  CHECK(texts.contains("tensor"));
  CHECK(texts.contains("boxes"));
  CHECK(texts.contains("waits for boxes: full[0]"));
  // Two warps in one state that do different things have a row each.
  int both = 0;
  for (int c = 0; c < p.sm.cycles && both == 0; ++c) {
    if (p.sm.state(0, c) != WarpState::wait || p.sm.state(4, c) != WarpState::wait) continue;
    if (p.doing(0, c) != "asks for boxes" || p.doing(4, c) != "hands over products") continue;
    SvgCanvas other(733, 660, light_theme().ground);
    scene.stage(other, {{c, 4}, {0, 0, 733, 660}, light_theme()}, events);
    std::set<std::string> rows;
    for (const auto& text : other.texts()) rows.insert(text.text);
    CHECK(rows.contains("asks for boxes"));
    CHECK(rows.contains("hands over products"));
    ++both;
  }
  CHECK(both == 1);
  CHECK(texts.contains("wait: hands over work, or a fixed time"));
  CHECK(!texts.contains("Throughput against warps"));  // one block fits: there is no more to draw
  CHECK(!played_warps(emulated({})).has_units());
}
