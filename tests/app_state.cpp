// The application behind the window: state, undo, keys, runs. No screen.
#include <doctest/doctest.h>

#include <functional>

#include "app/engine/engine.hpp"
#include "app/shell/scene.hpp"

#include "app_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

KeyPress character(char c, bool ctrl = false, bool shift = false) { return {Key::character, c, ctrl, shift}; }
KeyPress press(Key key, bool shift = false) { return {key, 0, false, shift}; }
constexpr auto kLong = 1.0;  // seconds: longer than any wait inside

}  // namespace

TEST_CASE("every change of state can be taken back, and brought forward again, exactly") {
  FakeRunner runner;
  App app(state_of("tiled"), &runner);
  app.show(emulated("tiled"));
  const std::vector<std::pair<const char*, std::function<void()>>> changes{
      {"rung", [&] { app.choose_rung("padded"); }},
      {"parameter", [&] { app.set_param("n", std::int64_t{100}); }},
      {"engine", [&] { app.choose_engine(EngineKind::emulator); }},
      {"block", [&] { app.follow(3); }},
      {"step", [&] { app.go_to(5); }},
      {"pin",
       [&] {
         app.pin({{std::uint16_t(1), std::uint64_t(7)}});
       }},
      {"compare", [&] { app.set_compare("naive"); }},
      {"theme", [&] { app.set_dark(true); }},
      {"language", [&] { app.set_language(Language::chinese); }},
      {"projector", [&] { app.set_projector(true); }},
      {"speed", [&] { app.set_speed(32); }},
  };
  for (const auto& named : changes) {
    CAPTURE(named.first);
    const AppState before = app.state();
    named.second();
    const AppState after = app.state();
    CHECK(after != before);
    CHECK(app.on_key(character('Z', true)));
    CHECK(app.state() == before);
    CHECK(app.on_key(character('Z', true, true)));
    CHECK(app.state() == after);
  }
  app.set_language(Language::english);
}

TEST_CASE("steps in a row are taken back together") {
  App app(state_of("tiled"), nullptr);
  app.show(emulated("tiled"));
  const int opened = app.state().step;
  for (int i = 0; i < 5; ++i) app.step_by(-1);
  CHECK(app.state().step == opened - 5);
  CHECK(app.back());
  CHECK(app.state().step == opened);
  CHECK_FALSE(app.back());
}

TEST_CASE("the keys do what the table says") {
  FakeRunner runner;
  App app(state_of("tiled"), &runner);
  app.show(emulated("tiled"));
  app.go_to(3);
  CHECK((app.on_key(press(Key::right)), app.state().step) == 4);
  CHECK((app.on_key(press(Key::left)), app.state().step) == 3);
  CHECK((app.on_key(press(Key::end)), app.state().step) == app.last_step());
  CHECK((app.on_key(press(Key::home)), app.state().step) == 0);
  CHECK((app.on_key(press(Key::right, true)), app.state().step) == app.scene()->axis().phases()[1].first);
  CHECK((app.on_key(press(Key::left, true)), app.state().step) == 0);
  CHECK((app.on_key(press(Key::space)), app.playing()));
  CHECK_FALSE((app.on_key(press(Key::space)), app.playing()));
  CHECK((app.on_key(character(']')), app.state().rung) == "padded");
  CHECK((app.on_key(character('[')), app.state().rung) == "tiled");
  CHECK((app.on_key(character('1')), app.state().rung) == "copy");
  CHECK((app.on_key(character('6')), app.state().rung) == "vectorized");
  CHECK((app.on_key(character('9')), app.state().rung) == "vectorized");
  CHECK((app.on_key(character('T')), app.state().dark));
  CHECK((app.on_key(character('L')), app.state().language) == Language::chinese);
  CHECK((app.on_key(character('L')), app.state().language) == Language::english);
  CHECK((app.on_key(press(Key::f11)), app.state().projector));
  CHECK((app.on_key(character('?')), app.help));
  CHECK_FALSE((app.on_key(press(Key::escape)), app.help));
}

TEST_CASE("stepping stops at both ends") {
  App app(state_of("naive"), nullptr);
  app.show(emulated("naive"));
  app.go_to(0);
  app.step_by(-1);
  CHECK(app.state().step == 0);
  app.go_to(1 << 30);
  CHECK(app.state().step == app.last_step());
  app.phase_by(1);
  CHECK(app.state().step <= app.last_step());
}

TEST_CASE(
    "a run starts after 20 ms of quiet, longer than a frame of a slider that moves, and only the last one") {
  FakeRunner runner;
  App app(state_of("naive"), &runner);
  app.tick(kLong);
  REQUIRE(runner.started.size() == 1);  // the first picture
  for (std::int64_t n : {65, 66, 67}) {
    app.set_param("n", n);
    app.tick(0.0167);
  }
  CHECK(runner.started.size() == 1);
  app.tick(0.0167);
  REQUIRE(runner.started.size() == 2);
  CHECK(std::get<std::int64_t>(runner.started[1].params.at("n")) == 67);
  app.tick(kLong);
  CHECK(runner.started.size() == 2);
}

TEST_CASE("R runs at once and Escape cancels") {
  FakeRunner runner;
  App app(state_of("naive"), &runner);
  app.on_key(character('R'));
  app.tick(0.001);
  REQUIRE(runner.started.size() == 1);
  CHECK(runner.busy());
  app.on_key(press(Key::escape));
  CHECK(runner.cancelled == 1);
}

TEST_CASE("an error becomes a banner that Escape takes away, and the next run takes it away too") {
  FakeRunner runner;
  App app(state_of("naive"), &runner);
  app.tick(kLong);
  runner.answer(bad_input("{0} with {1} was not recorded; the nearest recorded settings are {2}",
                          {"naive", "n=7", "n=128"}));
  app.tick(0.01);
  REQUIRE(app.banner.has_value());
  app.on_key(press(Key::escape));
  CHECK_FALSE(app.banner.has_value());
  app.request_run();
  app.tick(kLong);
  runner.answer(worker_error("the worker was killed by signal {0} ({1}) during the run; start the run again",
                             {"9", "Killed"}));
  app.tick(0.01);
  CHECK(app.banner.has_value());
  app.request_run();
  app.tick(kLong);
  runner.answer(emulated("naive"));
  app.tick(0.01);
  CHECK_FALSE(app.banner.has_value());
  CHECK(app.run() != nullptr);
}

TEST_CASE("a value that is typed is checked like one on the command line") {
  FakeRunner runner;
  App app(state_of("naive"), &runner);
  const auto type = [&](const char* text) {
    app.begin_typing(App::Typing::Of::parameter, "n", "64");
    for (const char* c = text; *c; ++c) app.type_character(char32_t(*c));
    app.on_key(press(Key::enter));
  };
  type("100");
  CHECK(std::get<std::int64_t>(app.state().params.at("n")) == 100);
  type("lots");
  REQUIRE(app.typing.has_value());
  CHECK(app.typing->edit.text() == "lots");
  CHECK(app.typing->wrong.has_value());
  CHECK(std::get<std::int64_t>(app.state().params.at("n")) == 100);
  type("99999999999999999999999");
  CHECK(app.typing->wrong.has_value());
  CHECK(std::get<std::int64_t>(app.state().params.at("n")) == 100);
}

TEST_CASE("while a value is typed, keys write and nothing else") {
  App app(state_of("tiled"), nullptr);
  app.show(emulated("tiled"));
  const int step = app.state().step;
  app.begin_typing(App::Typing::Of::parameter, "n", "64");
  app.on_key(press(Key::left));
  app.on_key(press(Key::space));
  CHECK(app.state().step == step);
  CHECK_FALSE(app.playing());
  app.on_key(press(Key::escape));
  CHECK_FALSE(app.typing.has_value());
}

TEST_CASE("playing advances by the speed and stops at the end") {
  App app(state_of("tiled"), nullptr);
  app.show(emulated("tiled"));
  app.go_to(0);
  app.set_speed(10);
  app.play(true);
  for (int i = 0; i < 10; ++i) app.tick(0.1);
  CHECK(app.state().step >= 9);
  CHECK(app.state().step <= 11);
  for (int i = 0; i < 1000 && app.playing(); ++i) app.tick(0.1);
  CHECK_FALSE(app.playing());
  CHECK(app.state().step == app.last_step());
}

TEST_CASE("one step taken moves for 250 ms; a jump arrives at once; the switch turns motion off") {
  App app(state_of("tiled"), nullptr);
  app.show(emulated("tiled"));
  app.go_to(4);
  CHECK(app.motion() == 1);
  app.step_by(1);
  CHECK(app.motion() == 0);
  app.tick(0.125);
  CHECK(app.motion() == doctest::Approx(0.5));
  CHECK(app.wants_frames());
  app.tick(0.2);
  CHECK(app.motion() == 1);
  CHECK_FALSE(app.wants_frames());
  AppState still = app.state();
  still.motion = false;
  App calm(still, nullptr);
  calm.show(emulated("tiled"));
  calm.go_to(4);
  calm.step_by(1);
  CHECK(calm.motion() == 1);
}

TEST_CASE("playing from the last step begins at the first") {
  App app(state_of("tiled"), nullptr);
  app.show(emulated("tiled"));
  app.go_to(app.last_step());
  app.play(true);
  CHECK(app.playing());
  CHECK(app.state().step == 0);
}

namespace {

// A window whose runs come at once.
struct Reader {
  explicit Reader(const LabInfo& lab, const std::string& rung) : app(first(lab, rung), &runner) { arrive(); }
  static AppState first(const LabInfo& lab, const std::string& rung) {
    AppState state;
    state.lab = lab.slug, state.rung = rung, state.params = *complete_params(lab, rung, {});
    return state;
  }
  void arrive() {
    app.tick(1);
    const Request& asked = runner.started.back();
    runner.answer(emulated_run(asked.lab, asked.rung, asked.params));
    app.tick(0.01);
  }
  std::string moment() const { return app.moment(); }
  FakeRunner runner;
  App app;
};

// The rungs at the ends of a ladder and in its middle.
std::vector<std::string> some_rungs(const LabInfo& lab) {
  std::vector<std::string> some{lab.rungs.front().slug};
  for (const std::size_t i : {lab.rungs.size() / 2, lab.rungs.size() - 1})
    if (lab.rungs[i].slug != some.back()) some.push_back(lab.rungs[i].slug);
  return some;
}

}  // namespace

TEST_CASE("who leaves a lab and comes back finds rung, settings and moment as they were: every lab") {
  for (const Lab* lab : labs())
    for (const std::string& rung : some_rungs(lab->info())) {
      CAPTURE(lab->info().slug);
      CAPTURE(rung);
      Reader reader(lab->info(), rung);
      if (reader.app.has_steps()) reader.app.go_to(reader.app.last_step() / 3);
      const AppState before = reader.app.state();
      const std::string moment = reader.moment();
      reader.app.choose_lab(lab->info().slug == "transpose" ? "banks" : "transpose");
      reader.arrive();
      reader.app.choose_lab(lab->info().slug);
      reader.arrive();
      CHECK(reader.app.state().rung == rung);
      CHECK(reader.app.state().params == before.params);
      CHECK(reader.app.state().block == before.block);
      CHECK(reader.moment() == moment);
      CHECK_FALSE(reader.app.banner.has_value());
    }
}

TEST_CASE("a rung and back leads to the moment that the reader left: every lab") {
  for (const Lab* lab : labs())
    for (const std::string& rung : some_rungs(lab->info())) {
      const LabInfo& info = lab->info();
      if (info.rungs.size() < 2) continue;
      CAPTURE(info.slug);
      CAPTURE(rung);
      const int here = info.rung_index(rung);
      const std::string& other = info.rungs[std::size_t(here > 0 ? here - 1 : 1)].slug;
      Reader reader(info, rung);
      if (!reader.app.has_steps()) continue;
      reader.app.go_to(reader.app.last_step() / 3);
      const std::string moment = reader.moment();
      const Params params = reader.app.state().params;
      reader.app.choose_rung(other), reader.arrive();
      reader.app.choose_rung(rung), reader.arrive();
      CHECK(reader.moment() == moment);
      CHECK(reader.app.state().params == params);
    }
}

TEST_CASE("a scene of any lab opens in another window at the same moment") {
  for (const Lab* lab : labs())
    for (const std::string& rung : some_rungs(lab->info())) {
      CAPTURE(lab->info().slug);
      CAPTURE(rung);
      Reader reader(lab->info(), rung);
      if (reader.app.has_steps()) reader.app.go_to(reader.app.last_step() / 3);
      const std::string text = scene_text(reader.app.state(), reader.moment());
      Reader next(find_lab("transpose")->info(), "copy");
      REQUIRE(next.app.open_text(text, "x"));
      next.arrive();
      CHECK(next.app.state().rung == rung);
      CHECK(next.app.state().params == reader.app.state().params);
      CHECK(next.moment() == reader.moment());
    }
}
