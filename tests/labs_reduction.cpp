// The reduction lab where the copy engine brings the array: what is on its way at each step.
#include <doctest/doctest.h>

#include "app/engine/engine.hpp"
#include "app/labs/reduction/scene.hpp"
#include "kernels/ladder.hpp"

using namespace lockstep;

namespace {

constexpr std::int64_t kChunk = 4 * 128;  // elements

ReductionScene scene_of(std::int64_t n, std::int64_t block) {
  Engines engines{nullptr, make_emulator_engine(), nullptr};
  Request request;
  request.lab = "reduction", request.rung = "bulk", request.engine = EngineKind::emulator;
  request.block = block;
  request.params = *complete_params(find_ladder("reduction")->info, "bulk", {{"n", n}});
  auto run = run_request(engines, request, [](const Progress&) { return true; });
  REQUIRE(run.ok());
  return ReductionScene(std::make_shared<const Run>(std::move(*run)));
}

}  // namespace

TEST_CASE("a block's chunks are asked for four ahead, and loaded one after the other") {
  const std::int64_t n = 16 * kChunk + 8;
  for (const std::int64_t block : {0, 1}) {
    const ReductionScene scene = scene_of(n, block);
    const Tree& tree = scene.trees.at(0);
    REQUIRE(tree.chunks.size() == 8);
    CHECK(loaded_by(scene, scene.opening_step(0)).first == (block + 2) * kChunk);
    CHECK(tree.on_their_way(scene.opening_step(0)) == 4);
    int load = 0;
    for (int s = 0; s < scene.steps.count(); ++s) {
      const ReductionPart part = reduction_part(scene.steps.marked[std::size_t(s)].mark);
      if (part == ReductionPart::ask) CHECK(tree.on_their_way(s) == 4);
      if (part == ReductionPart::rest) CHECK(loaded_by(scene, s).count == (block == 0 ? 8 : 0));
      if (part != ReductionPart::load) continue;
      const Span span = loaded_by(scene, s);
      CHECK(span.first == (block + 2 * load) * kChunk);
      CHECK(span.count == kChunk);
      ++load;
      CHECK(tree.on_their_way(s) == std::min(4, 8 - load));
      CHECK(round_of(scene, s)->lanes == 128);
      CHECK(scene.sentence({s, 0}).text().find("on their way: ") != std::string::npos);
    }
    CHECK(load == 8);
  }
}

TEST_CASE("an array without a whole chunk is loaded as what is left over") {
  const ReductionScene scene = scene_of(kChunk - 1, 0);
  CHECK(scene.trees.at(0).chunks.empty());
  CHECK(scene.run().check.pass);
}
