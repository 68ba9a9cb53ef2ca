// Runs of the gemm lab on the emulator, and their steps in words.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "app/engine/engine.hpp"
#include "app/labs/gemm/picture.hpp"
#include "app/labs/story.hpp"

namespace lockstep::test::gemm {

inline Run emulated(const std::string& rung, Params params = {}, std::int64_t block = 0) {
  Engines engines{nullptr, make_emulator_engine(), nullptr};
  Request request;
  request.lab = "gemm", request.rung = rung, request.engine = EngineKind::emulator, request.block = block;
  request.params = *complete_params(find_lab("gemm")->info(), rung, params);
  auto run = run_request(engines, request, [](const Progress&) { return true; });
  REQUIRE(run.ok());
  return std::move(*run);
}

struct Shown {
  explicit Shown(Run made) : scene(std::make_shared<const Run>(std::move(made))) {}
  int last() const { return scene.steps.count() - 1; }
  StageInput at(int step) const { return {{step}, {0, 0, 900, 700}, light_theme()}; }
  std::string title(int step) const { return scene.step_title({step}).text(); }
  std::string titles(int count) const {
    std::string text;
    for (int s = 0; s < std::min(count, last() + 1); ++s) text += title(s) + "\n";
    return text;
  }
  const GemmScene scene;
  const LoopAxis& axis = scene.steps;
};

}  // namespace lockstep::test::gemm
