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

TransposeScene scene_of(const std::string& rung, std::int64_t n = 128, std::int64_t block = 0) {
  Engines engines{nullptr, make_emulator_engine(), nullptr};
  Request request;
  request.lab = "transpose", request.rung = rung, request.params = {{"n", n}}, request.block = block;
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

TEST_CASE(
    "the parts of the next blocks are theirs: to the right in out for ordered, in `in` for vectorized") {
  const auto places = [](const std::vector<Region>& parts) {
    std::vector<std::pair<std::int64_t, std::int64_t>> all;
    for (const Region& part : parts) {
      CHECK(part.rows == 64);
      CHECK(part.cols == 64);
      all.emplace_back(part.row, part.col);
    }
    return all;
  };
  using Places = std::vector<std::pair<std::int64_t, std::int64_t>>;
  const Places right{{0, 64}, {0, 128}}, down{{64, 0}, {128, 0}};
  const auto ordered = scene_of("ordered", 192), vectorized = scene_of("vectorized", 192);
  CHECK(places(ordered.next_out) == right);
  CHECK(places(ordered.next_in) == down);
  CHECK(places(vectorized.next_out) == down);
  CHECK(places(vectorized.next_in) == right);
  CHECK(places(scene_of("ordered", 192, 7).next_out) == Places{{128, 128}});  // the last of nine
  CHECK(scene_of("ordered", 192, 8).next_out.empty());
}
