// The occupancy lab on the emulator's runs: steps, sentences, charts, all of the one model.
#include <doctest/doctest.h>

#include "app/engine/engine.hpp"
#include "app/labs/occupancy/scene.hpp"

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

std::string sentence(const Run& run, int step) { return open_run(run)->sentence({step}).text(); }

FilledSm sm_of(const Run& run) { return OccupancyScene(std::make_shared<const Run>(run)).sm.value(); }

}  // namespace

TEST_CASE("an SM is filled block by block, and the last step is the block that finds no room") {
  const Run run = emulated(256, 32, 32768);
  const OccupancyScene scene(std::make_shared<const Run>(run));
  REQUIRE(scene.steps.count() == 7);
  REQUIRE(scene.steps.phases().size() == 2);
  CHECK(scene.opening_step(0) == 6);
  for (int step = 0; step < 6; ++step) {
    const auto sm = scene.sm_at(step);
    CHECK(sm->placed == step + 1);
    CHECK_FALSE(sm->refused);
  }
  const auto full = scene.sm_at(6);
  CHECK(full->placed == 6);
  CHECK(full->refused);
  CHECK(sentence(run, 0) ==
        "Block 1 moves in with 8 warps, 1,024 registers for each of them, and 33,792 bytes of shared memory. "
        "Now 8 of 64 warps are resident.");
  CHECK(sentence(run, 6) ==
        "There is no room for block 7 (shared memory: 33,792 bytes needed, 30,720 left). 48 of 64 warps are "
        "resident, 75.0 %.");
}

TEST_CASE("the headline: resident warps, what limits the blocks, and where one more fits") {
  const Run run = emulated(256, 32, 32768);
  const OccupancyScene scene(std::make_shared<const Run>(run));
  for (int step = 0; step < scene.steps.count(); ++step) {
    const auto figures = scene.headline({step});
    REQUIRE(figures.size() == 3);
    CHECK(figures[0].value == std::to_string(8 * std::min(step + 1, 6)) + " of 64");
    CHECK(figures[1].value == std::to_string(run.occupancy->blocks_per_sm));
    CHECK(figures[1].note.find("shared memory") != std::string::npos);
    CHECK(figures[2].value == "32,256");
  }
  // What the third figure says is so.
  CHECK(emulated(256, 32, 32256).occupancy->blocks_per_sm == 7);
  CHECK(emulated(256, 32, 32257).occupancy->blocks_per_sm == 6);
  const Run none = emulated(1024, 128, 0);
  const auto figures = open_run(none)->headline({0});
  CHECK(figures[0].trouble == (none.occupancy->blocks_per_sm == 0));
}

TEST_CASE("the block that finds no room is the same step on an SM that holds more of them") {
  const auto few = open_run(emulated(256, 32, 32768)), many = open_run(emulated(128, 32, 8192));
  const AlignedStep there = aligned_step(few->axis(), 6, many->axis());
  CHECK(there.same);
  CHECK(there.step == many->axis().count() - 1);
  CHECK(aligned_step(few->axis(), 2, many->axis()).step == 2);
}

TEST_CASE("resources that run out together are named together; where nothing fits, why") {
  CHECK(sentence(emulated(256, 64, 48 << 10), 4).find("registers, shared memory run out together") !=
        std::string::npos);
  const Run none = emulated(1024, 65, 0);
  CHECK(open_run(none)->axis().count() == 1);
  CHECK(sentence(none, 0).find("Not even one block fits") == 0);
  CHECK(sentence(none, 0).find("65,536") != std::string::npos);
}

TEST_CASE("each limit is explained with numbers that give its blocks") {
  const FilledSm sm = sm_of(emulated(256, 125, 32768));
  CHECK(limit_text(sm, SmResource::warps) == "256 threads are 8 warps; 64 slots / 8 = 8");
  CHECK(limit_text(sm, SmResource::registers) ==
        "125 × 32 threads → 4,096 per warp; 4 warps per sub-core, 16 in all; 16 / 8 = 2");
  CHECK(limit_text(sm, SmResource::shared) ==
        "32,768 + 1,024 reserved → 33,792 bytes per block; 233,472 / 33,792 = 6");
  CHECK(limiters_of(sm.resident) == std::vector<SmResource>{SmResource::registers});
}

TEST_CASE("every point of a step chart is the model's occupancy, and the marker stands at the setting") {
  for (const char* device : {"H200", "T4", "RTX 4090"}) {
    const FilledSm sm = sm_of(emulated(200, 40, 20000, device));
    const Plot plot = occupancy_plot(sm, BlockNeed::registers);
    REQUIRE(plot.series.size() == 2);
    CHECK(plot.cursor == 40);
    CHECK(plot.series[1].points.at(0).y == doctest::Approx(100 * sm.resident.fraction));
    // Between two changes the line is level; it holds every number of registers.
    for (int registers = 1; registers <= 255; ++registers) {
      const double want = 100 * resident_blocks(sm.gpu, {200, registers, 20000}).fraction;
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
  const FilledSm sm = sm_of(emulated(256, 40, 0));  // 6 blocks by registers
  CHECK(next_text(sm, BlockNeed::registers) == "6 blocks fit; 8 up to 32, 5 from 41");
  CHECK(next_text(sm_of(emulated(32, 16, 0)), BlockNeed::shared).starts_with("32 blocks fit; "));
}

TEST_CASE("another rung starts from its own registers, and keeps the other settings") {
  const LabInfo& lab = find_lab("occupancy")->info();
  Params params = *complete_params(lab, "fma", {{"threads", std::int64_t{128}}});
  CHECK(params.at("registers") == Value{std::int64_t{125}});
  params = carried_params(lab, "spilled", params);
  CHECK(params.at("registers") == Value{std::int64_t{32}});
  CHECK(params.at("threads") == Value{std::int64_t{128}});
}
