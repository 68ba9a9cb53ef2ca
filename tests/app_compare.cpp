// Two runs side by side: how they come, how their steps align, and in what they differ.
#include <doctest/doctest.h>

#include <algorithm>

#include "app/draw/canvas_svg.hpp"
#include "app/shell/differences.hpp"
#include "app/shell/views.hpp"
#include "app_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

struct Pair {
  Pair() : app(state_of("tiled"), &runner) {
    app.tick(1);
    runner.answer(emulated("tiled"));
    app.tick(0.01);
  }
  // The run that was asked for last ends like this, and time passes.
  void answer(const Run& run) { runner.answer(run), app.tick(0.01); }
  FakeRunner runner;
  App app;
};

const Difference* row(const Differences& d, const std::string& label) {
  const auto found =
      std::find_if(d.rows.begin(), d.rows.end(), [&](const Difference& r) { return r.label == label; });
  return found == d.rows.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("the second run is asked for after the first, with its settings and engine") {
  Pair p;
  p.app.set_compare("padded");
  CHECK(p.app.comparing());
  CHECK(p.app.compared() == nullptr);
  p.app.tick(0.01);
  REQUIRE(p.runner.started.size() == 2);
  CHECK(p.runner.started[1].rung == "padded");
  CHECK(p.runner.started[1].params == p.app.state().params);
  CHECK(p.runner.started[1].engine == EngineKind::emulator);
  p.answer(emulated("padded"));
  REQUIRE(p.app.compared() != nullptr);
  CHECK(p.app.compared_name() == "padded");
}

TEST_CASE("after a change of parameters both runs appear together") {
  Pair p;
  p.app.set_compare("padded");
  p.app.tick(0.01);
  p.answer(emulated("padded"));
  p.app.set_param("n", std::int64_t{100});
  p.app.tick(1);
  p.answer(emulated("tiled", 100));
  CHECK(std::get<std::int64_t>(p.app.run()->request.params.at("n")) == 64);  // still the old pair
  CHECK(std::get<std::int64_t>(p.app.compared()->run().request.params.at("n")) == 64);
  REQUIRE(p.runner.started.size() == 4);
  CHECK(p.runner.started[3].rung == "padded");
  CHECK(std::get<std::int64_t>(p.runner.started[3].params.at("n")) == 100);
  p.answer(emulated("padded", 100));
  CHECK(std::get<std::int64_t>(p.app.run()->request.params.at("n")) == 100);
  CHECK(std::get<std::int64_t>(p.app.compared()->run().request.params.at("n")) == 100);
}

TEST_CASE("while new runs are under way both halves are pale and say so, but for a saved one") {
  Pair p;
  p.app.set_compare("padded");
  p.app.tick(0.01);
  p.answer(emulated("padded"));
  const auto says_so = [&] {
    SvgCanvas canvas(1600, 900, p.app.theme().ground);
    draw_app(canvas, p.app, {0, 0, 1600, 900});
    return std::any_of(canvas.texts().begin(), canvas.texts().end(),
                       [](const auto& text) { return text.text.starts_with("A run is under way"); });
  };
  CHECK_FALSE(is_pale(p.app, false));
  CHECK_FALSE(says_so());
  p.app.set_param("n", std::int64_t{100});
  CHECK((is_pale(p.app, false) && is_pale(p.app, true)));
  CHECK(says_so());
  p.app.tick(1);
  p.answer(emulated("tiled", 100));  // waits for the second one
  CHECK((is_pale(p.app, false) && is_pale(p.app, true)));
  p.answer(emulated("padded", 100));
  CHECK_FALSE(is_pale(p.app, true));
  p.app.keep_saved("b.npz", emulated("padded"));
  p.app.set_compare("b.npz");
  p.app.set_param("n", std::int64_t{64});
  CHECK(is_pale(p.app, false));
  CHECK_FALSE(is_pale(p.app, true));
}

TEST_CASE("where the second run fails the first one stands alone, under a banner") {
  Pair p;
  p.app.set_compare("padded");
  p.app.tick(0.01);
  p.runner.answer(bad_input("{0} with {1} was not recorded; the nearest recorded settings are {2}",
                            {"padded", "n=64", "n=128"}));
  p.app.tick(0.01);
  CHECK(p.app.banner.has_value());
  CHECK(p.app.run() != nullptr);
  CHECK(p.app.compared() == nullptr);
}

TEST_CASE("leaving while the second run goes on shows the first one") {
  Pair p;
  p.app.set_compare("padded");
  p.app.set_param("n", std::int64_t{100});
  p.app.tick(1);
  p.answer(emulated("tiled", 100));
  p.app.set_compare("");
  CHECK_FALSE(p.app.comparing());
  CHECK(std::get<std::int64_t>(p.app.run()->request.params.at("n")) == 100);
  CHECK(p.runner.cancelled == 1);
}

TEST_CASE("choosing the rung that is compared with makes the two change places") {
  Pair p;
  p.app.set_compare("padded");
  p.app.choose_rung("padded");
  CHECK(p.app.state().rung == "padded");
  CHECK(p.app.state().compare == "tiled");
  CHECK(p.app.back());
  CHECK(p.app.state().compare == "padded");
}

TEST_CASE("the second run's step is the one with the same key, and the way back leads to the same step") {
  App app(state_of("tiled", 128), nullptr);
  app.show(emulated("tiled", 128));
  app.compare(emulated("padded", 128));
  for (int step = 0; step <= app.last_step(); ++step) {
    app.go_to(step);
    CHECK(app.compared_step().step == step);  // the same phases, so the same steps
    CHECK(app.compared_step().same);
  }
  app.compare(emulated("naive", 128));
  const auto keys = [&] {
    return to_text(app.scene()->axis().key(app.state().step)) + " | " +
           to_text(app.compared()->axis().key(app.compared_step().step));
  };
  app.go_to(app.last_step());
  CHECK(keys() == "write out 3, warp 7 | write out 3, warp 7");
  app.go_to(app.scene()->axis().step_of({0, "write tile", 2, 0, 1}));  // naive has none
  CHECK_FALSE(app.compared_step().same);
  CHECK(keys() == "write tile 2, warp 1 | read in 3, warp 7");
  app.go_to(3);
  CHECK(app.compared_step().step == 3);
  app.go_to_compared(5);
  CHECK(app.state().step == 5);
}

TEST_CASE("another rung and another size keep the step by its key, not by its number") {
  Pair p;
  const auto key = [&] { return to_text(p.app.scene()->axis().key(p.app.state().step)); };
  p.app.go_to(p.app.scene()->axis().step_of({0, "write out", 2, 0, 5}));
  const int before = p.app.state().step;
  p.app.choose_rung("naive");
  p.app.tick(1);
  p.answer(emulated("naive"));
  CHECK(key() == "write out 2, warp 5");
  CHECK(p.app.state().step != before);
  CHECK(p.app.back());  // a state of the past brings its own number
  p.app.tick(1);
  p.answer(emulated("tiled"));
  CHECK(p.app.state().step == before);
}

TEST_CASE("a saved run that is shown is not run again, and stands beside a rung or another saved run") {
  Pair p;
  p.app.keep_saved("class/a.npz", emulated("naive", 100));
  p.app.keep_saved("b.npz", emulated("padded", 100));
  p.app.show_saved("class/a.npz");
  p.app.tick(1);
  CHECK(p.runner.started.size() == 1);
  CHECK(p.app.state().rung == "naive");
  CHECK(p.app.run_name() == "a.npz");
  p.app.set_compare("b.npz");
  REQUIRE(p.app.compared() != nullptr);
  CHECK(p.app.compared()->run().request.rung == "padded");
  p.app.set_param("n", std::int64_t{64});  // what is shown now is an engine's answer
  p.app.tick(1);
  CHECK(p.runner.started.size() == 2);
  CHECK(p.app.state().saved.empty());
  CHECK(p.app.back());
  CHECK(p.app.state().saved == "class/a.npz");
  CHECK(std::get<std::int64_t>(p.app.run()->request.params.at("n")) == 100);
}

TEST_CASE("the differences of tiled and padded are the conflicts and what follows from them") {
  const Differences d = differences_of(*open_run(emulated("tiled")), *open_run(emulated("padded")));
  const Difference* wavefronts = row(d, "shared wavefronts, load");
  REQUIRE(wavefronts != nullptr);
  CHECK(wavefronts->left == "4,096");
  CHECK(wavefronts->right == "128");
  CHECK(wavefronts->ratio == "÷ 32");
  CHECK(wavefronts->left_words == "emulated");
  REQUIRE(row(d, "bank conflicts, load") != nullptr);
  CHECK(row(d, "bank conflicts, load")->ratio == "");  // nothing to divide by
  CHECK(row(d, "sectors, store") == nullptr);
  CHECK(d.equal > 8);
  const Differences none = differences_of(*open_run(emulated("tiled")), *open_run(emulated("tiled")));
  CHECK(none.rows.empty());
  CHECK(none.equal == d.equal + int(d.rows.size()));
}

TEST_CASE("a number that one run lacks is a difference without a ratio") {
  Run timed = emulated("tiled");
  timed.time = Timing{0.5, 0.4, 0.6, 20, 0, 0, ""};
  const Differences d = differences_of(*open_run(timed), *open_run(emulated("tiled")));
  REQUIRE(row(d, "time") != nullptr);
  CHECK(row(d, "time")->right == "–");
  CHECK(row(d, "time")->ratio == "");
}

TEST_CASE("times that differ by less than the launches among themselves are no difference") {
  Run ours = emulated("tiled"), theirs = emulated("tiled");
  ours.time = Timing{0.50, 0.48, 0.54, 20, 0, 0.3, "cudaMemcpy"};
  theirs.time = Timing{0.52, 0.49, 0.53, 20, 0, 0.31, "cudaMemcpy"};
  const Differences chance = differences_of(*open_run(ours), *open_run(theirs));
  CHECK(chance.rows.empty());
  CHECK(chance.noise == 4);
  theirs.time->median_ms = 0.7, theirs.time->min_ms = 0.69, theirs.time->p95_ms = 0.71;
  const Differences slower = differences_of(*open_run(ours), *open_run(theirs));
  REQUIRE(row(slower, "time") != nullptr);
  CHECK(row(slower, "time")->ratio == "× 1.4");
  CHECK(row(slower, "time of cudaMemcpy") == nullptr);
}

TEST_CASE("ratios have three digits and say which way") {
  CHECK(ratio_text(8, 1) == "÷ 8");
  CHECK(ratio_text(3, 4) == "× 1.33");
  CHECK(ratio_text(1, 65536) == "× 65,536");
  CHECK(ratio_text(0, 4) == "");
  CHECK(ratio_text(2, 2) == "× 1");
}

TEST_CASE("the two halves take clicks apart, and pinning holds for both") {
  FakeRunner runner;
  App app(state_of("tiled", 128), &runner);
  app.show(emulated("tiled", 128));
  app.compare(emulated("padded", 128));
  Screen screen(app, 1600, 900);
  REQUIRE(screen.has("stage/in/cells"));
  REQUIRE(screen.has("second/stage/in/cells"));
  CHECK(screen.area("stage/in/cells").right() < screen.area("second/stage/in/cells").x);
  app.go_to(0);
  screen.click("second/stage/in/cells");
  CHECK(app.state().pinned.has_value());
  CHECK(app.state().step > 0);
}
