// What the lab of sums and scans reads off its runs: rows of lanes that hold several numbers, and the tiles
// that a block looked at.
#include <doctest/doctest.h>

#include <algorithm>

#include "app/draw/canvas_svg.hpp"
#include "app/engine/engine.hpp"
#include "app/labs/lab.hpp"
#include "app/labs/shuffle/scene.hpp"
#include "kernels/ladder.hpp"

using namespace lockstep;

namespace {

std::unique_ptr<LabScene> scene_of(const std::string& rung, const Params& given, std::int64_t block) {
  Engines engines{nullptr, make_emulator_engine(), nullptr};
  Request request;
  request.lab = "shuffle", request.rung = rung, request.engine = EngineKind::emulator, request.block = block;
  request.params = *complete_params(find_ladder("shuffle")->info, rung, given);
  auto run = run_request(engines, request, [](const Progress&) { return true; });
  REQUIRE(run.ok());
  return open_run(std::move(*run));
}

}  // namespace

TEST_CASE("shuffle: lanes with 32 numbers have a row for the load and one for what stands before") {
  const auto opened = scene_of("many", {{"values", std::string("ones")}}, 7);
  const auto& scene = dynamic_cast<const ShuffleScene&>(*opened);
  const BlockScan& block = scene.blocks.at(1);
  const LaneTable& table = block.warps.at(0);
  REQUIRE(table.several);
  REQUIRE(table.rows.size() == 3);
  CHECK(table.rows[0].part == ShufflePart::load);
  CHECK(table.rows[1].part == ShufflePart::tree);
  CHECK(table.rows[2].part == ShufflePart::join);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    CHECK(table.rows[0].lanes[lane].value == 1);
    CHECK(table.rows[2].lanes[lane].value == block.before + table.rows[1].lanes[lane].value);
  }
  CHECK(block.before == *block.tile * 8192);
}

TEST_CASE("shuffle: as many tiles are drawn as a warp has looked at, and its own") {
  const auto opened = scene_of("window", {}, 62);
  const auto& scene = dynamic_cast<const ShuffleScene&>(*opened);
  REQUIRE(scene.blocks.at(1).seen.size() == 32);
  const Theme theme = light_theme();
  SvgCanvas canvas(1000, 700, theme.ground);
  StageEvents events;
  scene.stage(canvas, {{scene.blocks[1].look_step, 0}, {0, 0, 1000, 700}, theme, 1}, events);
  CHECK(std::count_if(canvas.hits().begin(), canvas.hits().end(), [](const SvgCanvas::DrawnHit& hit) {
          return hit.id.starts_with("stage/tile/");
        }) == 33);
}
