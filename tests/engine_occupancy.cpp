// What `run occupancy` answers: the model's word on the settings, beside what a GPU said and measured.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "app/engine/engine.hpp"
#include "app/engine/run_file.hpp"
#include "app/model/occupancy.hpp"
#include "kernels/experiments.hpp"
#include "places.hpp"

using namespace lockstep;
using Json = nlohmann::json;

namespace {

Run emulated(const std::string& rung, Params given, const std::string& recordings = "") {
  Engines engines{nullptr, make_emulator_engine(), nullptr};
  if (!recordings.empty()) engines.recording = make_recording_engine({recordings});
  Request request;
  request.lab = "occupancy", request.rung = rung, request.engine = EngineKind::emulator;
  request.params = *complete_params(find_ladder("occupancy")->info, rung, given);
  auto run = run_request(engines, request, [](const Progress&) { return true; });
  REQUIRE(run.ok());
  return std::move(*run);
}

Params asked(std::int64_t threads, std::int64_t registers, std::int64_t shared_bytes,
             const char* device = "H200") {
  return {{"threads", threads},
          {"registers", registers},
          {"shared_bytes", shared_bytes},
          {"device", std::string(device)}};
}

Json json_of(const Run& run) { return Json::parse(run_to_json(run)); }

const std::string kRecordings = in_source("assets/recordings");

}  // namespace

TEST_CASE("the JSON of a run has the blocks, the limiter and what each resource allows") {
  const Json run = json_of(emulated("stream", asked(256, 32, 32768)));
  const Json& o = run.at("occupancy");
  CHECK(o.at("blocks_per_sm") == 6);
  CHECK(o.at("warps_per_sm") == 48);
  CHECK(o.at("occupancy") == 0.75);
  CHECK(o.at("fraction") == 0.75);
  CHECK(o.at("limiter") == "shared_bytes");
  CHECK(o.at("limits") == Json{{"registers", 8}, {"shared_bytes", 6}, {"warps", 8}, {"blocks", 32}});
  CHECK(run.at("provenance").at("occupancy") == "modelled, error 0");
  CHECK(run.at("metrics").at("next").at("shared_bytes").at("fewer").get<int>() ==
        233472 / 7 / 128 * 128 - 1024);
  CHECK(run.at("metrics").at("next").at("shared_bytes").at("fewer_blocks") == 7);
}

TEST_CASE("two resources that run out together are both named") {
  const Json o = json_of(emulated("stream", asked(256, 64, 48 << 10))).at("occupancy");
  CHECK(o.at("blocks_per_sm") == 4);
  CHECK(o.at("limiters") == Json{"registers", "shared_bytes"});
}

TEST_CASE("another device answers by its own limits, whatever the engine") {
  CHECK(json_of(emulated("stream", asked(256, 32, 32768, "T4"))).at("occupancy").at("blocks_per_sm") == 2);
  CHECK(json_of(emulated("stream", asked(256, 32, 32768, "RTX 4090"))).at("occupancy").at("blocks_per_sm") ==
        3);
  CHECK(json_of(emulated("stream", asked(1024, 32, 0, "RTX 4090"))).at("occupancy").at("blocks_per_sm") == 1);
}

TEST_CASE("a block that does not fit is said so, with the limit") {
  const Run run = emulated("stream", asked(1024, 65, 0));
  CHECK(run.occupancy->blocks_per_sm == 0);
  REQUIRE(run.warnings.size() == 1);
  CHECK(run.warnings[0].text().find("65536") != std::string::npos);
  CHECK(json_of(run).at("occupancy").at("limiter") == "registers");
}

TEST_CASE("a loaded kernel answers with its recorded registers and shared bytes, the sliders aside") {
  Params params = asked(32, 1, 0);
  params["kernel"] = std::string("gemm/ldmatrix");
  const Run run = emulated("stream", params, kRecordings);
  const auto recorded = make_recording_engine({kRecordings})->recorded("gemm", "ldmatrix").front().occupancy;
  REQUIRE(recorded);
  CHECK(run.occupancy->registers == recorded->registers);
  CHECK(run.occupancy->threads_per_block == recorded->threads_per_block);
  CHECK(run.occupancy->shared_bytes == recorded->shared_bytes);
  CHECK(run.occupancy->blocks_per_sm == recorded->blocks_per_sm);  // the driver's
  CHECK(provenance_of(run, "metrics.loaded.registers").device == "NVIDIA H200");
  CHECK(run.warnings.empty());
  const Run alone = emulated("stream", params);
  CHECK(alone.occupancy->registers == 1);
  REQUIRE(alone.warnings.size() == 1);
  CHECK(alone.warnings[0].text().find("gemm/ldmatrix") != std::string::npos);
}

TEST_CASE("every rung of every other lab can be loaded, and played, and has a recorded occupancy") {
  const auto engine = make_recording_engine({kRecordings});
  for (const auto& [slug, choice] : {std::pair{"occupancy", "kernel"}, {"scheduler", "program"}}) {
    std::vector<std::string> rungs;
    for (const Ladder* ladder : ladders())
      if (ladder->info.slug != slug && ladder->info.slug != "micro")
        for (const RungInfo& rung : ladder->info.rungs) {
          const std::string name = ladder->info.slug + "/" + rung.slug;
          CAPTURE(name);
          if (!ladder->together(rung.slug)) rungs.push_back(name);  // no SM plays alone what hangs on others
          const auto recorded = engine->recorded_everywhere(ladder->info.slug, rung.slug);
          CHECK(std::any_of(recorded.begin(), recorded.end(),
                            [](const Run& r) { return r.occupancy.has_value(); }));
        }
    const Ladder& ladder = *find_ladder(slug);
    const auto& all = ladder.info.parameters;
    const auto p = std::find_if(all.begin(), all.end(),
                                [&, name = choice](const Parameter& x) { return x.name == name; });
    REQUIRE(p != all.end());
    CHECK(std::vector(p->choices.begin() + 1, p->choices.end()) == rungs);  // after the lab's own
    for (const std::string& name : rungs) CHECK(rung_named(name)->lab + "/" + rung_named(name)->rung == name);
  }
}

TEST_CASE("other labs keep the keys of their occupancy, with the limits of the device that was recorded") {
  Engines engines{nullptr, make_emulator_engine(), make_recording_engine({kRecordings})};
  Request request;
  request.lab = "transpose", request.rung = "tiled", request.engine = EngineKind::emulator;
  request.params = *complete_params(find_ladder("transpose")->info, "tiled", {});
  const auto run = run_request(engines, request, [](const Progress&) { return true; });
  REQUIRE(run.ok());
  const Json o = json_of(*run).at("occupancy");
  for (const char* key :
       {"threads_per_block", "registers", "shared_bytes", "blocks_per_sm", "warps_per_sm", "fraction"})
    CHECK(o.contains(key));
  CHECK(o.at("limits").at(o.at("limiter").get<std::string>()) == o.at("blocks_per_sm"));
  CHECK(o.at("device") == "H200");
}

TEST_CASE(
    "recorded curves: a copy needs its warps, four loads at once a quarter of them, products the fewest") {
  const Run run = emulated("stream", {}, kRecordings);
  const auto rate = [&](const std::string& rung, int warps) {
    const auto value = real_metric(run, "curve." + rung + ".warps_" + std::to_string(warps));
    REQUIRE_MESSAGE(value, rung);
    return *value;
  };
  if (!real_metric(run, "curve.stream.warps_64")) {
    MESSAGE("not recorded: the lab occupancy has not run on a GPU yet");
    return;
  }
  CHECK(rate("stream", 8) < 0.6 * rate("stream", 64));
  CHECK(rate("unrolled", 16) > 0.95 * rate("unrolled", 64));
  CHECK(rate("stream", 16) < 0.85 * rate("unrolled", 16));
  CHECK(rate("fma", 8) > 0.9 * rate("fma", 16));
  CHECK(rate("fma", 16) > 10 * rate("spilled", 64));  // 25 % of the warps against all of them
  CHECK(provenance_of(run, "metrics.curve.fma").device == "NVIDIA H200");
}

TEST_CASE("where a GPU measured these settings, its time and the driver's blocks stand beside the model's") {
  const Run run = emulated("fma", {}, kRecordings);
  if (!real_metric(run, "measured.ms")) {
    MESSAGE("not recorded: the lab occupancy has not run on a GPU yet");
    return;
  }
  CHECK(whole_metric(run, "driver.blocks_per_sm") == run.occupancy->blocks_per_sm);
  CHECK(whole_metric(run, "driver.registers") == run.occupancy->registers);
  CHECK(real_metric(run, "measured.teraflops"));
  CHECK(provenance_of(run, "metrics.measured.ms").device == "NVIDIA H200");
  CHECK_FALSE(run.time);
}
