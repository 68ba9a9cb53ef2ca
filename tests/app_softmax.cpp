// The softmax stage under the pointer.
#include <doctest/doctest.h>

#include "app_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

App app_with(FakeRunner& runner, const std::string& rung) {
  const Params params = *complete_params(find_lab("softmax")->info(), rung, {});
  AppState state = state_of("copy");
  state.lab = "softmax", state.rung = rung, state.params = params;
  App app(state, &runner);
  app.show(emulated_run("softmax", rung, params));
  return app;
}

}  // namespace

TEST_CASE("a click on a row follows its block and its warp") {
  FakeRunner runner;
  App app = app_with(runner, "online");
  Screen screen(app, 1600, 900);
  screen.frame();
  screen.click("stage/rows");  // the middle of eight rows: row 4, or where it begins
  CHECK(app.state().block == 1);
  CHECK(app.state().warp == 0);
}

TEST_CASE("another warp of the block is shown without another run, and the sentence speaks of its row") {
  FakeRunner runner;
  App app = app_with(runner, "online");
  const auto said = [&] { return app.scene()->sentence(app.view()).text(); };
  CHECK(said().find("row 0") != std::string::npos);
  app.follow_warp(2);
  CHECK(runner.started.empty());
  CHECK(said().find("row 2") != std::string::npos);
}

TEST_CASE("a bar tells its score, a cell its factor") {
  FakeRunner runner;
  App app = app_with(runner, "online");
  Screen screen(app, 1600, 900);
  screen.frame();
  screen.move(screen.area("stage/scores").center());
  screen.frame();
  CHECK(screen.tooltip().find("x[0][12") == 0);
  screen.move(screen.area("stage/factors").center());
  screen.frame();
  CHECK(screen.tooltip().find("multiplied by") != std::string::npos);
}

TEST_CASE("of two runs side by side both sentences speak of the followed warp's row") {
  FakeRunner runner;
  App app = app_with(runner, "online");
  app.compare(emulated_run("softmax", "safe", *complete_params(find_lab("softmax")->info(), "safe", {})));
  app.go_to(0);
  app.follow_warp(2);
  LabView beside = app.view();
  beside.step = app.compared_step().step;
  CHECK(app.compared()->sentence(beside).text().find("row 2") != std::string::npos);
}
