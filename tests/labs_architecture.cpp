// The architecture lab: the part that is looked at, what stands on it, and where the blocks of a run are.
#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "app/devices/gpus.hpp"
#include "app/draw/canvas_svg.hpp"
#include "app/engine/engine.hpp"
#include "app/labs/architecture/scene.hpp"
#include "app/model/placement_evidence.hpp"
#include "kernels/experiments.hpp"
#include "places.hpp"

using namespace lockstep;

namespace {

Run emulated(const Params& given, const char* rung = "places") {
  Engines engines{nullptr, make_emulator_engine(), nullptr};
  Request request;
  request.lab = "architecture", request.rung = rung, request.engine = EngineKind::emulator;
  auto params = complete_params(find_lab("architecture")->info(), rung, given);
  REQUIRE_MESSAGE(params.ok(), params.error().text());
  request.params = *params;
  auto run = run_request(engines, request, [](const Progress&) { return true; });
  REQUIRE(run.ok());
  return std::move(*run);
}

ArchitectureScene scene_of(Run run) { return ArchitectureScene(std::make_shared<const Run>(std::move(run))); }

Params few(const char* name, Value value) {
  return {{"blocks", std::int64_t{8}}, {"threads", std::int64_t{32}}, {name, std::move(value)}};
}

std::string drawn(const ArchitectureScene& scene, int step, float width = 900) {
  SvgCanvas canvas(width, 700, light_theme().ground);
  StageEvents events;
  scene.stage(canvas, {{step}, {0, 0, width, 700}, light_theme()}, events);
  return canvas.finish();
}

bool shows(const std::string& svg, const std::string& text) { return svg.find(text) != svg.npos; }

}  // namespace

TEST_CASE("the settings name a device and a part of it, and an SM named alone is that SM") {
  CHECK(scene_of(emulated(few("sm", std::int64_t{17}))).at.part == Part::sm);
  CHECK(scene_of(emulated(few("sm", std::int64_t{17}))).at.sm == 17);
  CHECK(scene_of(emulated(few("part", std::string("tpc")))).at.part == Part::tpc);
  CHECK(scene_of(emulated(few("device", std::string("T4")))).at.gpu.multiprocessors == 40);
  CHECK(scene_of(emulated(few("device", std::string("auto")))).at.gpu.word == "H200");
  for (const Part part : kParts) CHECK(part_named(name_of(part)) == part);
}

TEST_CASE("every part of every device is drawn with figures, each with a source") {
  for (const Gpu& gpu : known_gpus())
    for (const Part part : kParts) {
      CAPTURE(gpu.word);
      const auto facts = facts_of(part, gpu);
      CHECK(facts.size() >= 2);
      for (const PartFact& fact : facts) {
        CHECK_FALSE(fact.value.empty());
        CHECK_FALSE(source_of(gpu, fact.figure).empty());
      }
      Params given = few("device", gpu.word);
      given["part"] = std::string(name_of(part));
      const auto scene = scene_of(emulated(given));
      CHECK(shows(drawn(scene, 10), title_of(part, gpu, -1)));
    }
  CHECK(facts_of(Part::gpc, *gpu_by_word("B200")).front().value == "not published");
}

TEST_CASE("a product's bytes light up station by station, where each is drawn, with numbers of the device") {
  for (const Gpu& gpu : known_gpus())
    for (const Station station : kStations) {
      CAPTURE(gpu.word);
      CAPTURE(name_of(station));
      CHECK(station_named(name_of(station)) == station);
      Params given = few("device", gpu.word);
      given["way"] = std::string(name_of(station));
      given["part"] = std::string(name_of(part_with(station)));
      const auto scene = scene_of(emulated(given));
      for (const Station other : kStations) CHECK(scene.at.lit(other) == (other <= station));
      const std::string svg = drawn(scene, 10);
      CHECK(shows(svg, title_of(Station::units)));  // the chain of stations is there
      given["way"] = std::string("none");
      const auto outlines = [](const std::string& text) {
        const std::string current = "stroke=\"#f0e442\"";
        int n = 0;
        for (auto at = text.find(current); at != text.npos; at = text.find(current, at + 1)) ++n;
        return n;
      };
      CHECK(outlines(svg) > outlines(drawn(scene_of(emulated(given)), 10)));
    }
  const Gpu h200;
  CHECK(what_it_gives(Station::memory, h200).text().find("19.9 B per clock") != std::string::npos);
  CHECK(what_it_gives(Station::units, h200).text().find("used 412 times") != std::string::npos);
}

TEST_CASE("400 blocks of 1024 threads: two on each SM, and at the end four blocks keep the chip waiting") {
  const auto scene = scene_of(emulated({{"threads", std::int64_t{1024}}}));
  REQUIRE(scene.shown());
  CHECK(scene.shown()->modelled);
  CHECK(scene.moment_at(0).running == 264);
  CHECK(scene.moment_at(0).waiting == 136);
  const auto last = scene.moment_at(scene.ns_at(scene.steps.count() - 1));
  CHECK(last.running == 4);
  CHECK(last.busy_sms == 4);
  CHECK(last.done == 396);
  CHECK(scene.headline({0})[0].value == "264 of 400");
  CHECK(scene.steps.phases().size() == 2);
  CHECK(scene.step_figure("running", {scene.steps.count() - 1}) == 4.0);
  CHECK_FALSE(scene.step_figure("moons", {0}));
}

TEST_CASE("an SM's sentence names its blocks, and one that has none stands idle") {
  const auto scene = scene_of(emulated({{"sm", std::int64_t{17}}, {"threads", std::int64_t{1024}}}));
  CHECK(scene.blocks_on(17, 0) == std::vector<int>{17, 149});
  CHECK(scene.sentence({0}).text().find("SM 17 runs 2 of 264 blocks: 17, 149") != std::string::npos);
  CHECK(scene.sentence({scene.steps.count() - 1}).text().find("SM 17 stands idle") != std::string::npos);
  CHECK(scene.step_figure("on_sm", {0}) == 2.0);
}

TEST_CASE("a click on an SM goes in, and one on the chip's name leads out") {
  // What a click asks for is settings that are legal together.
  for (const Part part : kParts) {
    Params given = few("part", std::string(name_of(part)));
    given["sm"] = std::int64_t{part == Part::chip ? -1 : 5};
    CHECK(complete_params(find_lab("architecture")->info(), "places", given).ok());
  }
}

TEST_CASE("what was seen on the device stands before the model, and of another device it does not") {
  Run run = emulated(few("device", std::string("H200")));
  PlacementEvidence evidence = *run.evidence.find<PlacementEvidence>();
  evidence.seen["H200"].text = "5,0,0,900;5,8,0,1000;7,0,900,2000;";
  run.evidence.put(evidence);
  run.provenance["metrics.seen.H200"] = Provenance::recorded("NVIDIA H200", "2026-11-25");
  const auto seen = scene_of(run);
  REQUIRE(seen.seen);
  CHECK(seen.shown()->placement.blocks.size() == 3);
  CHECK(seen.blocks_on(5, 500) == std::vector<int>{0, 1});
  CHECK(shows(drawn(seen, 3), "recorded"));
  run.request.params["device"] = std::string("A100");
  CHECK_FALSE(scene_of(run).seen);
  CHECK(scene_of(run).shown()->modelled);
}

TEST_CASE("SMs that the device does not have are a damaged file's, and are not shown") {
  Run run = emulated(few("device", std::string("T4")));
  PlacementEvidence evidence = *run.evidence.find<PlacementEvidence>();
  evidence.seen["T4"].text = "131,0,0,900;";
  run.evidence.put(evidence);
  CHECK_FALSE(scene_of(run).seen);
}

TEST_CASE("groups that clusters told are frames on the chip, and an SM's GPC is its group") {
  Run run = emulated(few("device", std::string("H200")));
  PlacementEvidence evidence = *run.evidence.find<PlacementEvidence>();
  evidence.groups["H200"] = {{0, 2, 4}, {1, 3}};
  run.evidence.put(evidence);
  CHECK(shows(drawn(scene_of(run), 0), "127 were in no cluster"));
  run.request.params["part"] = std::string("gpc"), run.request.params["sm"] = std::int64_t{4};
  CHECK(shows(drawn(scene_of(run), 0), "2 SMs were seen in clusters with SM 4"));
}

TEST_CASE("clusters without a recording say so and show nothing") {
  const auto scene =
      scene_of(emulated({{"blocks", std::int64_t{8}}, {"threads", std::int64_t{32}}}, "clusters"));
  CHECK_FALSE(scene.shown());
  CHECK(scene.steps.count() == 1);
  CHECK(scene.sentence({0}).text().find("not recorded") != std::string::npos);
  CHECK_FALSE(drawn(scene, 0).empty());
}

TEST_CASE("recorded: the first wave is the occupancy model's blocks per SM times the SMs, in every launch") {
  auto recordings = make_recording_engine({in_source("assets/recordings")});
  int launches = 0;
  for (const Run& run : recordings->recorded_everywhere("architecture", "places")) {
    const Params& p = run.request.params;
    const auto whole = [&](const char* name) { return std::get<std::int64_t>(p.at(name)); };
    const Gpu* gpu = find_gpu(run.device.name);
    REQUIRE(gpu);
    const auto resident =
        resident_blocks(*gpu, {int(whole("threads")), int(whole("registers")), whole("shared_bytes")});
    CAPTURE(to_string(p.at("blocks")) + " of " + to_string(p.at("threads")));
    const auto first = whole_metric(run, "measured.first_wave");
    REQUIRE(first);
    CHECK(*first ==
          std::min<std::int64_t>(whole("blocks"), std::int64_t{resident.blocks} * gpu->multiprocessors));
    CHECK(whole_metric(run, "measured.most_on_one_sm").value_or(99) <= resident.blocks);
    ++launches;
  }
  CHECK(launches >= 30);
}

TEST_CASE(
    "recorded: the model's time of a launch is within 16 % of what an H100 or H200 took, the mean within 3 "
    "%") {
  auto recordings = make_recording_engine({in_source("assets/recordings")});
  const auto* plan = plan_of<PlacementPlan>(*find_ladder("architecture"));
  double sum = 0;
  int launches = 0;
  for (const Run& run : recordings->recorded_everywhere("architecture", "places")) {
    const auto placement = plan->modelled(run.request.params, "places", *find_gpu(run.device.name));
    const auto us = real_metric(run, "measured.span_us");
    REQUIRE((placement && us));
    const double error = double(figures_of(*placement).span_ns) / 1000 / *us - 1;
    CAPTURE(to_string(run.request.params.at("blocks")) + " of " +
            to_string(run.request.params.at("threads")));
    CHECK(std::abs(error) <= 0.16);
    sum += std::abs(error), ++launches;
  }
  REQUIRE(launches >= 30);
  MESSAGE("mean error of " << launches << " launches: " << 100 * sum / launches << " %");
  CHECK(sum / launches <= 0.03);
}

TEST_CASE(
    "recorded: clusters of 4 and 8 join SMs to 8 groups, as many as there are GPCs; pairs alone reach all") {
  auto recordings = make_recording_engine({in_source("assets/recordings")});
  std::vector<std::vector<int>> large, all;
  for (const Run& run : recordings->recorded_everywhere("architecture", "clusters")) {
    const auto* text = std::get_if<std::string>(&run.metrics().at("measured.groups_of_sms"));
    REQUIRE(text);
    const auto groups = read_groups(*text).value();
    all = joined_groups(all, groups);
    if (std::get<std::int64_t>(run.request.params.at("cluster")) > 2) large = joined_groups(large, groups);
  }
  CHECK(large.size() == std::size_t(gpu_by_word("H100")->gpcs));
  std::size_t sms = 0;
  for (const auto& group : all) {
    sms += group.size();
    CHECK(group.size() % 2 == 0);
  }
  CHECK(sms == 132);
}
