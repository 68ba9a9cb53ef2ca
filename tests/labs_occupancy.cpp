// The occupancy lab on the emulator's runs: steps, sentences, charts, all of the one model.
#include <doctest/doctest.h>

#include "app/engine/engine.hpp"
#include "app/labs/occupancy/picture.hpp"

using namespace lockstep;

namespace {

Run emulated(std::int64_t threads, std::int64_t registers, std::int64_t shared_bytes,
             const char* device = "H200") {
  Engines engines{nullptr, make_emulator_engine(), nullptr};
  Request request;
  request.lab = "occupancy", request.rung = "stream", request.engine = EngineKind::emulator;
  request.params = *complete_params(find_lab("occupancy")->info(), "stream",
                                    {{"threads", threads},
                                     {"registers", registers},
                                     {"shared_bytes", shared_bytes},
                                     {"device", std::string(device)}});
  auto run = run_request(engines, request, [](const Progress&) { return true; });
  REQUIRE(run.ok());
  return std::move(*run);
}

std::string sentence(const Run& run, int step) {
  return find_lab("occupancy")->sentence(run, find_lab("occupancy")->steps(run), step).text();
}

}  // namespace

TEST_CASE("an SM is filled block by block, and the last step is the block that finds no room") {
  const Run run = emulated(256, 32, 32768);
  const StepAxis axis = find_lab("occupancy")->steps(run);
  REQUIRE(axis.steps.size() == 7);
  REQUIRE(axis.phases.size() == 2);
  CHECK(find_lab("occupancy")->opening_step(run, axis) == 6);
  for (int step = 0; step < 6; ++step) {
    const auto scene = occupancy_scene(run, step);
    CHECK(scene->placed == step + 1);
    CHECK_FALSE(scene->refused);
  }
  const auto full = occupancy_scene(run, 6);
  CHECK(full->placed == 6);
  CHECK(full->refused);
  CHECK(sentence(run, 0) ==
        "Block 1 comes to the SM: 8 warps, 1,024 registers each, and 33,792 bytes of shared memory. 8 of 64 "
        "warps "
        "are resident now.");
  CHECK(
      sentence(run, 6) ==
      "Block 7 finds no room (shared memory: 33,792 needed, 30,720 left). 48 of 64 warps are resident: 75.0 "
      "%.");
}

TEST_CASE("resources that run out together are named together; where nothing fits, why") {
  CHECK(sentence(emulated(256, 64, 48 << 10), 4).find("registers, shared memory run out together") !=
        std::string::npos);
  const Run none = emulated(1024, 65, 0);
  CHECK(find_lab("occupancy")->steps(none).steps.size() == 1);
  CHECK(sentence(none, 0).find("Not even one block fits") == 0);
  CHECK(sentence(none, 0).find("65,536") != std::string::npos);
}

TEST_CASE("each limit is explained with numbers that give its blocks") {
  const auto scene = *occupancy_scene(emulated(256, 125, 32768), 0);
  CHECK(limit_text(scene, SmResource::warps) == "256 threads = 8 warps; 64 / 8 = 8");
  CHECK(limit_text(scene, SmResource::registers) ==
        "125 × 32 → 4,096 a warp; 4 warps in each sub-core, 16 in all; 16 / 8 = 2");
  CHECK(limit_text(scene, SmResource::shared) == "32,768 + 1,024 reserved → 33,792; 233,472 / 33,792 = 6");
  CHECK(limiters_of(scene.resident) == std::vector<SmResource>{SmResource::registers});
}

TEST_CASE("every point of a step chart is the model's occupancy, and the marker stands at the setting") {
  for (const char* device : {"H200", "T4", "RTX 4090"}) {
    const auto scene = *occupancy_scene(emulated(200, 40, 20000, device), 0);
    const Plot plot = occupancy_plot(scene, BlockNeed::registers);
    REQUIRE(plot.series.size() == 2);
    CHECK(plot.cursor == 40);
    CHECK(plot.series[1].points.at(0).y == doctest::Approx(100 * scene.resident.fraction));
    // Between two changes the line is level; it holds every number of registers.
    for (int registers = 1; registers <= 255; ++registers) {
      const double want = 100 * resident_blocks(scene.gpu, {200, registers, 20000}).fraction;
      bool on_line = false;
      const auto& points = plot.series[0].points;
      for (std::size_t i = 0; i + 1 < points.size(); ++i)
        on_line |= points[i].x <= registers && registers <= points[i + 1].x && points[i].y == want &&
                   (points[i + 1].y == want || points[i].x == registers);
      on_line |= points.back().x == registers && points.back().y == want;
      CHECK(on_line);
    }
  }
}

TEST_CASE("the distance to the next step is one that the model confirms") {
  const auto scene = *occupancy_scene(emulated(256, 40, 0), 0);  // 6 blocks by registers
  CHECK(next_text(scene, BlockNeed::registers) == "blocks: 6; ≤ 32: 8; ≥ 41: 5");
  CHECK(next_text(*occupancy_scene(emulated(32, 16, 0), 0), BlockNeed::shared).starts_with("blocks: 32; ≥ "));
}

TEST_CASE("another rung starts from its own registers, and keeps the other settings") {
  const LabInfo& lab = find_lab("occupancy")->info();
  Params params = *complete_params(lab, "fma", {{"threads", std::int64_t{128}}});
  CHECK(params.at("registers") == Value{std::int64_t{125}});
  params = carried_params(lab, "spilled", params);
  CHECK(params.at("registers") == Value{std::int64_t{32}});
  CHECK(params.at("threads") == Value{std::int64_t{128}});
}
