// The memory lab: which level answers, by the recorded plateaus or by its size, and what the steps read.
#include <doctest/doctest.h>

#include "app/engine/engine.hpp"
#include "app/labs/memory/scene.hpp"
#include "app/model/curves_evidence.hpp"

using namespace lockstep;

namespace {

Run emulated(const std::string& rung, const Params& given = {}) {
  Engines engines{nullptr, make_emulator_engine(), nullptr};
  Request request;
  request.lab = "memory", request.rung = rung, request.engine = EngineKind::emulator;
  request.params = *complete_params(find_lab("memory")->info(), rung, given);
  auto run = run_request(engines, request, [](const Progress&) { return true; });
  REQUIRE(run.ok());
  return std::move(*run);
}

Params kb(std::int64_t footprint) { return {{"footprint", footprint}}; }

// As recordings of an H200 would say it.
Run with_stairs(Run run) {
  CurvesEvidence curves;
  auto& cycles = curves.curves[{"chase", "footprint", "cycles"}];
  auto& ns = curves.curves[{"chase", "footprint", "ns"}];
  for (std::int64_t at = 1; at <= 2 << 20; at *= 2) {
    cycles[at] = at <= 128     ? 35
                 : at == 256   ? 60
                 : at < 1024   ? 200
                 : at < 32768  ? 270
                 : at < 262144 ? 500
                               : 700;
    ns[at] = cycles[at] / 2;
  }
  for (const std::int64_t at : {32768, 40960, 49152}) {  // half of an H200's 50 MB is near
    const double near = 25600.0 / double(at);
    cycles[at] = near * 270 + (1 - near) * 520;
  }
  for (const auto& [at, rate] : {std::pair{16384, 5500.0}, {2 << 20, 4100.0}})
    curves.curves[{"read", "footprint", "gb_per_s"}][at] = rate;
  curves.curves[{"copy", "footprint", "gb_per_s"}][2 << 20] = 4250;
  curves.curves[{"chase", "host", "cycles"}][262144] = 1900;
  run.evidence.put(curves);
  run.provenance["metrics.curve"] = Provenance::recorded("NVIDIA H200", "2026-11-25");
  return run;
}

MemoryScene scene_of(Run run) { return MemoryScene(std::make_shared<const Run>(std::move(run))); }

MemoryLevel answering(const std::string& rung, const Params& given) {
  return scene_of(with_stairs(emulated(rung, given))).answering.level;
}

}  // namespace

TEST_CASE("the level that answers is the one whose plateau the footprint lies on") {
  CHECK(answering("chase", kb(32)) == MemoryLevel::l1);
  CHECK(answering("chase", kb(16384)) == MemoryLevel::l2);
  CHECK(answering("chase", kb(1048576)) == MemoryLevel::hbm);
  const MemoryScene between = scene_of(with_stairs(emulated("chase", kb(256))));
  CHECK(between.answering.by_plateau);
  CHECK(between.answering.level == MemoryLevel::l1);
  CHECK(between.answering.next == MemoryLevel::l2);
  CHECK(between.answers(MemoryLevel::l2));
  CHECK_FALSE(between.answers(MemoryLevel::hbm));
  const MemoryScene far = scene_of(with_stairs(emulated("chase", kb(40960))));  // the L2's other half
  CHECK(far.answering.level == MemoryLevel::l2);
  CHECK_FALSE(far.answering.next);
  const MemoryScene beyond = scene_of(with_stairs(emulated("chase", kb(98304))));
  CHECK(beyond.answers(MemoryLevel::l2));
  CHECK(beyond.answers(MemoryLevel::hbm));
}

TEST_CASE("without a recording the sizes say which level answers, and nothing is said to be measured") {
  const MemoryScene scene = scene_of(emulated("chase", kb(16384)));
  CHECK(scene.answering.level == MemoryLevel::l2);
  CHECK_FALSE(scene.answering.by_plateau);
  CHECK_FALSE(scene.has_recording());
  CHECK(scene.plateaus.empty());
  for (const LevelFigures& f : scene.levels) {
    CHECK_FALSE(f.cycles);
    CHECK_FALSE(f.bytes_per_s);
  }
  CHECK(scene.headline({0}).front().value == "—");
  CHECK(scene.figures_of(MemoryLevel::hbm).specified_bytes_per_s == 4.8e12);
}

TEST_CASE("every other rung names its level") {
  CHECK(answering("shared_chase", {}) == MemoryLevel::shared);
  CHECK(answering("near_far", {}) == MemoryLevel::l2);
  CHECK(answering("registers", {}) == MemoryLevel::registers);
  CHECK(answering("shared_read", {}) == MemoryLevel::shared);
  for (const char* rung : {"far_chase", "far_read"}) CHECK(answering(rung, {}) == MemoryLevel::far_shared);
  CHECK(answering("l1_read", kb(64)) == MemoryLevel::l1);
  CHECK(answering("read", kb(64)) == MemoryLevel::l2);  // around L1
  CHECK(answering("read", kb(131072)) == MemoryLevel::hbm);
  CHECK(answering("copy", kb(131072)) == MemoryLevel::hbm);
  CHECK(answering("chase", {{"memory", std::string("host")}}) == MemoryLevel::host);
}

TEST_CASE(
    "what was measured stands with its level: plateaus, halves, the middle rate of a level's footprints") {
  const MemoryScene scene = scene_of(with_stairs(emulated("chase")));
  REQUIRE(scene.plateaus.size() == 3);
  CHECK(scene.figures_of(MemoryLevel::l1).cycles == 35);
  CHECK(scene.figures_of(MemoryLevel::l2).cycles == 270);
  CHECK(scene.figures_of(MemoryLevel::l2).far_cycles.value_or(0) == doctest::Approx(520));
  CHECK(scene.figures_of(MemoryLevel::hbm).cycles == 700);
  CHECK(scene.figures_of(MemoryLevel::hbm).ns == 350);
  CHECK(scene.figures_of(MemoryLevel::l2).bytes_per_s == 5.5e12);
  CHECK(scene.figures_of(MemoryLevel::hbm).bytes_per_s == 4.1e12);
  CHECK(scene.figures_of(MemoryLevel::hbm).copied_bytes_per_s == 4.25e12);
  CHECK(scene.figures_of(MemoryLevel::host).cycles == 1900);
  CHECK_FALSE(scene.figures_of(MemoryLevel::registers).cycles);
}

TEST_CASE("each load of the walk starts where the one before has said") {
  const MemoryScene scene = scene_of(emulated("chase"));
  int walked = 0;
  std::optional<double> expected;
  for (int step = 0; step < scene.steps.count(); ++step) {
    const auto place = scene.place_at(step);
    if (!place || !place->walk) continue;
    if (expected) CHECK(place->byte == *expected);
    CHECK(scene.step_figure("byte", {step}) == place->byte);
    expected = place->next_byte;
    ++walked;
  }
  CHECK(walked == 256);
  CHECK_FALSE(expected);  // the last one leads out of the walk
  const auto opening = scene.place_at(scene.opening_step(0));
  REQUIRE(opening);
  CHECK(opening->walk);
}

TEST_CASE("sentences of a walk: what a load says, and why the next one waits") {
  const MemoryScene scene = scene_of(emulated("chase"));
  const auto text = [&](int step) { return scene.sentence({step}).text(); };
  CHECK(text(0) ==
        "Line 14: warp 0 reads 32 places, so that each level holds what it can when the walk begins.");
  CHECK(text(scene.opening_step(0)).find("Until it has come, the next load cannot start.") !=
        std::string::npos);
  const MemoryScene still = scene_of(emulated("near_far"));
  CHECK(still.sentence({still.opening_step(0)}).text().find("the walk stands still on byte") !=
        std::string::npos);
}

TEST_CASE("a figure further than a fifth from the published one says why, and one within it does not") {
  const MemoryScene scene = scene_of(with_stairs(emulated("chase")));
  const auto all = beside_published(scene.run(), scene.levels);
  int explained = 0;
  for (const Comparison& c : all) {
    CAPTURE(c.name);
    CHECK(c.differs() == !c.reason.empty());
    explained += !c.reason.empty();
  }
  CHECK(explained == 2);  // the far half, 520 against 414; the L2's rate, 5.5 against 9.7 TB/s
  CHECK(scene.panels({}, light_theme()).size() == 1);
  CHECK(scene_of(emulated("chase")).panels({}, light_theme()).empty());
}
