// The transpose's stage and words: where each rung opens, what travels from where to where, what is said.
#include <doctest/doctest.h>

#include <memory>

#include "app/draw/language.hpp"
#include "app/engine/engine.hpp"
#include "app/labs/transpose/scene.hpp"
#include "app/labs/transpose/travel.hpp"
#include "app/labs/turns.hpp"

using namespace lockstep;

namespace {

TransposeScene scene_of(const std::string& rung) {
  Engines engines{nullptr, make_emulator_engine(), nullptr};
  Request request;
  request.lab = "transpose", request.rung = rung, request.params = {{"n", std::int64_t{128}}};
  request.engine = EngineKind::emulator;
  auto run = run_request(engines, request, [](const Progress&) { return true; });
  REQUIRE(run.ok());
  return TransposeScene(std::make_shared<const Run>(std::move(*run)));
}

const Step& opening(const TransposeScene& scene) {
  return scene.steps.steps[std::size_t(scene.opening_step(0))];
}

}  // namespace

TEST_CASE("each rung opens at what sets it apart: a write by columns, a read with conflicts, one without") {
  const auto naive = scene_of("naive"), tiled = scene_of("tiled"), padded = scene_of("padded");
  CHECK(opening(naive).instruction.kind == Kind::store);
  CHECK(opening(naive).sectors == 32);
  CHECK(opening(tiled).instruction.kind == Kind::load);
  CHECK(opening(tiled).wavefronts == 32);
  CHECK(opening(padded).instruction.kind == Kind::load);
  CHECK(opening(padded).wavefronts == 1);
}

TEST_CASE("a column of the tile travels to the row of out that the same warp writes next") {
  const auto scene = scene_of("tiled");
  const Step* store = store_of(scene.steps, scene.opening_step(0));
  REQUIRE(store != nullptr);
  CHECK(store->instruction.view == 1);
  CHECK(store->instruction.warp == opening(scene).instruction.warp);
  const auto first = words_of_lane(store->instruction, 0).first;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    CHECK(words_of_lane(opening(scene).instruction, lane).first % 32 ==
          words_of_lane(opening(scene).instruction, 0).first % 32);
    CHECK(words_of_lane(store->instruction, lane).first == first + std::uint64_t(lane));
  }
  CHECK(turns_of(opening(scene)).count == 32);  // wavefronts
  CHECK(turns_of(*store).count == 4);           // sectors
}

TEST_CASE("where a line reads and writes in turn the sentence says that the steps do not") {
  const auto naive = scene_of("naive"), tiled = scene_of("tiled");
  const auto text = [](const TransposeScene& scene, int step) { return tr(scene.sentence({step, 0})); };
  CHECK(text(naive, 0).find("each read is followed by its write") != std::string::npos);
  CHECK(text(naive, naive.opening_step(0)).find("The L2 merges") != std::string::npos);
  CHECK(text(naive, naive.opening_step(0)).find("bytes move") == std::string::npos);
  CHECK(text(tiled, 0).find("In the loop") == std::string::npos);
}
