// The lab coalescing on the emulator's runs: what a step says of its sectors, and the curves beside it.
#include <doctest/doctest.h>

#include <algorithm>

#include "app/draw/canvas_svg.hpp"
#include "app/engine/engine.hpp"
#include "app/labs/coalescing/scene.hpp"
#include "app/model/curves_evidence.hpp"

using namespace lockstep;

namespace {

Run emulated(const std::string& rung, const Params& params = {}) {
  Engines engines{nullptr, make_emulator_engine(), nullptr};
  Request request;
  request.lab = "coalescing", request.rung = rung, request.engine = EngineKind::emulator;
  request.params = *complete_params(find_lab("coalescing")->info(), rung, params);
  auto run = run_request(engines, request, [](const Progress&) { return true; });
  REQUIRE(run.ok());
  return std::move(*run);
}

CoalescingScene scene_of(const std::string& rung, const Params& params = {}) {
  return CoalescingScene(std::make_shared<const Run>(emulated(rung, params)));
}

Value whole(std::int64_t x) { return x; }

std::vector<HeadFigure> headline(const CoalescingScene& scene) {
  return scene.headline({scene.opening_step(0), 0});
}

bool drawn(const CoalescingScene& scene, Rect area, std::string_view text) {
  SvgCanvas canvas(area.w, area.h, Color{});
  StageEvents events;
  scene.stage(canvas, {{scene.opening_step(0), 0}, area, light_theme(), 1}, events);
  for (const auto& t : canvas.texts()) {
    CAPTURE(t.text);
    CHECK(t.rect.x >= 0);
    CHECK(t.rect.right() <= area.w);
    CHECK(t.rect.bottom() <= area.h);
  }
  return std::any_of(canvas.texts().begin(), canvas.texts().end(),
                     [&](const auto& t) { return t.text == text; });
}

}  // namespace

TEST_CASE("a step names its line, its bytes and its sectors") {
  const auto scene = scene_of("strided");
  CHECK(scene.sentence({scene.opening_step(3), 3}).text() ==
        "Line 12: 32 lanes of warp 3 want 128 bytes of in. They lie in 32 sectors, so 1,024 bytes are "
        "fetched.");
}

TEST_CASE("the second field of an array of structs is there already") {
  const auto scene = scene_of("aos");
  int loads = 0;
  for (int s = 0; s < scene.steps.count(); ++s) {
    const WarpInstruction& i = scene.steps.steps[std::size_t(s)].instruction;
    if (i.warp != 0 || i.kind != Kind::load) continue;
    const std::string text = scene.sentence({s, 0}).text();
    CHECK((text.find("fetches nothing") != std::string::npos) == (loads > 0));
    ++loads;
  }
  CHECK(loads == 3);
}

TEST_CASE(
    "the curve over stride grows by four sectors until 8, the one over offset is one more off a sector's "
    "edge") {
  const auto scene = scene_of("strided", {{"stride", whole(1)}});
  REQUIRE(scene.curves.size() == 2);
  for (const PlotPoint& p : scene.curves[0].sectors) CHECK(p.y == (p.x == 0 ? 1 : std::min(4 * p.x, 32.0)));
  for (const PlotPoint& p : scene.curves[1].sectors) CHECK(p.y == (int(p.x) % 8 ? 5 : 4));
  CHECK(scene.curves[0].here == 1);
  CHECK(scene.curves[1].here == 0);
  CHECK_FALSE(scene_of("strided", {{"stride", whole(2)}}).curves[1].here.has_value());
}

TEST_CASE("recorded throughput stands at its parameter's value, and the run's own is large") {
  Run run = emulated("strided");
  CurvesEvidence recorded;
  for (int stride = 0; stride <= 32; ++stride)
    recorded.curves[{"strided", "stride", "gb_per_s"}][stride] = 4000.0 - 100 * stride;
  run.evidence.put(recorded);
  run.provenance["metrics.curve"] = "recorded: NVIDIA H200, 2026-11-22";
  const CoalescingScene scene(std::make_shared<const Run>(std::move(run)));
  REQUIRE(scene.curves[0].gb_per_s.size() == 33);
  CHECK(scene.curves[0].gb_per_s[8].x == 8);
  CHECK(scene.rungs[0].gb_per_s == 3200);
  CHECK(headline(scene)[2].value == "3,200");
  CHECK(headline(scene)[2].provenance == "recorded: NVIDIA H200, 2026-11-22");
}

TEST_CASE("a gather's sectors hang on indices in memory: their curve is the recordings', and says so") {
  Run run = emulated("gather");
  CurvesEvidence recorded;
  for (const int window : {1, 256, 4096})
    recorded.curves[{"gather", "window", "sectors_per_request"}][window] = 4;
  run.evidence.put(recorded);
  const CoalescingScene scene(std::make_shared<const Run>(std::move(run)));
  REQUIRE(scene.curves.size() == 1);
  CHECK(scene.curves[0].sectors_are_recorded);
  CHECK_FALSE(scene_of("strided").curves[0].sectors_are_recorded);
}

TEST_CASE("every rung's stage stays in its area, from half a window to a large one") {
  for (const RungInfo& rung : find_lab("coalescing")->info().rungs)
    for (const Rect area : {Rect{0, 0, 500, 560}, Rect{0, 0, 760, 540}, Rect{0, 0, 1380, 860}}) {
      CAPTURE(rung.slug);
      CHECK(drawn(scene_of(rung.slug), area, "lanes"));
    }
}

TEST_CASE(
    "the headline: what the step asks for, what would do, and what is used where no time was recorded") {
  const auto figures = headline(scene_of("strided"));
  REQUIRE(figures.size() == 3);
  CHECK(figures[0].value == "32");
  CHECK(figures[0].trouble);
  CHECK(figures[1].value == "4");
  CHECK(figures[2].value == "12.5 %");
  CHECK_FALSE(headline(scene_of("soa"))[0].trouble);
}

TEST_CASE("beside the sectors stand all rungs by name, with the sectors of their loads and the fewest") {
  const auto scene = scene_of("strided", {{"stride", whole(2)}});
  REQUIRE(scene.rungs.size() == find_lab("coalescing")->info().rungs.size());
  CHECK(scene.rungs[0].here);
  CHECK(scene.rungs[0].sectors == 8);  // as it is set; the others at their defaults
  const auto cost = [&](const char* slug) {
    return *std::find_if(scene.rungs.begin(), scene.rungs.end(),
                         [&](const RungCost& c) { return c.slug == slug; });
  };
  CHECK(cost("aos").sectors == 32);
  CHECK(cost("soa").sectors == 4);
  CHECK(cost("soa").fewest == 4);
  CHECK(cost("vector").sectors == 16);
  CHECK(cost("vector").fewest == 16);
  CHECK(cost("packed").fewest == 4);
  CHECK(drawn(scene, {0, 0, 1380, 860}, "aligned"));
  CHECK_FALSE(drawn(scene, {0, 0, 500, 560}, "aligned"));
}

TEST_CASE("a stranger's settings open without curves") {
  Run run = emulated("vector");
  run.request.params["width"] = whole(0);
  const CoalescingScene scene(std::make_shared<const Run>(std::move(run)));
  CHECK(scene.curves.empty());
  CHECK(scene.rungs.empty());
}
