// The divergence lab on the emulator's runs: steps that are the block's, lanes that are gone, sides that are
// predicated, and slots that are as wide in one kernel as in the next.
#include <doctest/doctest.h>

#include <set>

#include "app/engine/engine.hpp"
#include "app/labs/divergence/scene.hpp"

using namespace lockstep;

namespace {

Run emulated(const std::string& rung, const Params& given = {}) {
  Engines engines{nullptr, make_emulator_engine(), nullptr};
  Request request;
  request.lab = "divergence", request.rung = rung, request.engine = EngineKind::emulator;
  request.params = *complete_params(find_lab("divergence")->info(), rung, given);
  auto run = run_request(engines, request, [](const Progress&) { return true; });
  REQUIRE(run.ok());
  return std::move(*run);
}

DivergenceScene shown(const std::string& rung, const Params& given = {}) {
  return DivergenceScene(std::make_shared<const Run>(emulated(rung, given)));
}

}  // namespace

TEST_CASE("divergence: a line of a round is one step, whichever warps come to it") {
  for (const char* order : {"random", "sorted"}) {
    const auto scene = shown("by_data", {{"order", std::string(order)}, {"share", std::int64_t{5}}});
    std::set<std::pair<std::uint16_t, std::uint32_t>> seen;
    for (const ProgramPlace& place : scene.block.places)
      if (place.kind == Kind::arithmetic) {
        CHECK(seen.insert({place.line, place.pass}).second);
        CHECK(place.pass < 2);
      }
    CHECK(seen.size() == 4);
  }
}

TEST_CASE("divergence: lanes that return have stored before the others compute, and are gone") {
  const auto scene = shown("early_return");
  for (const WarpIssue& warp : scene.block.warps)
    for (const IssueStep& step : warp.steps)
      if (step.arithmetic()) CHECK(scene.lanes_left(warp, step) == step.instruction.lanes);
}

TEST_CASE("divergence: a predicated side takes its slot in every warp, needed or not") {
  const auto scene = shown("short_side");
  for (const WarpIssue& warp : scene.block.warps) {
    CHECK(warp.slots == 2 * 32 + 3);
    CHECK(warp.lane_slots == 32 * (32 + 3));
  }
}

TEST_CASE("divergence: a slot is as wide in all kernels of rounds") {
  const auto across = shown("by_lane").block.slots_across;
  CHECK(across == 2 * 2 * 128 + 3);
  for (const char* rung : {"uniform", "by_warp", "by_block", "by_data", "early_return"})
    CHECK(shown(rung).block.slots_across == across);
}
