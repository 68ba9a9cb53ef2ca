// The home: what it needs, how its cards come, where its entries lead, and what is kept between sessions.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "app/cli/background_runs.hpp"
#include "app/draw/canvas_svg.hpp"
#include "app/engine/engine.hpp"
#include "app/shell/scene.hpp"
#include "app/shell/views.hpp"
#include "app_support.hpp"
#include "window_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

AppState at_home() {
  AppState state = state_of("tiled", 128);
  state.home = true;
  return state;
}

const Run& opening_run(const Lab& lab) {
  const Request request = opening_request(lab);
  return emulated_run(request.lab, request.rung, request.params);
}

Run as_asked(const Request& request) {
  Run run = emulated_run(request.lab, request.rung, request.params);
  run.request = request;
  return run;
}

std::vector<std::string> texts_of(App& app, float width = 1600, float height = 900) {
  SvgCanvas canvas(width, height, {});
  draw_app(canvas, app, {0, 0, width, height});
  std::vector<std::string> texts;
  for (const auto& text : canvas.texts()) texts.push_back(text.text);
  return texts;
}

bool says(const std::vector<std::string>& texts, const std::string& wanted) {
  return std::find(texts.begin(), texts.end(), wanted) != texts.end();
}

KeyPress letter(char c, bool ctrl = false) {
  KeyPress key;
  key.character = c, key.ctrl = ctrl;
  return key;
}

int pictures(const App& app) {
  return int(std::count_if(labs().begin(), labs().end(), [&](const Lab* lab) {
    return app.cards().of(lab->info().slug).scene != nullptr;
  }));
}

}  // namespace

TEST_CASE("the home is drawn before any run is there, and starts none of a lab") {
  FakeRunner runner;
  App app(at_home(), &runner);
  CHECK(says(texts_of(app), "Real CUDA kernels, one step at a time."));
  CHECK(runner.background.empty());
  for (int frame = 0; frame < 5; ++frame) app.tick(0.1);
  CHECK(runner.started.empty());
  REQUIRE(runner.background.size() == labs().size());
  for (std::size_t i = 0; i < labs().size(); ++i) CHECK(runner.background[i].lab == labs()[i]->info().slug);
}

TEST_CASE("without the home no card's run is asked for") {
  FakeRunner runner;
  App app(state_of("tiled", 128), &runner);
  for (int frame = 0; frame < 5; ++frame) app.tick(0.1);
  CHECK(runner.background.empty());
}

TEST_CASE("cards come in one by one, and one that fails says why") {
  FakeRunner runner;
  App app(at_home(), &runner);
  for (int frame = 0; frame < 5; ++frame) app.tick(0.1);
  for (const Request& request : runner.background)
    runner.background_answers.push_back({request, as_asked(request)});
  const Request &first = runner.background[0], &second = runner.background[1];
  CHECK(says(texts_of(app), "running " + first.lab + "/" + first.rung + "…"));
  CHECK(says(texts_of(app), second.lab + "/" + second.rung + " is waiting for its turn"));
  runner.background_answers[1].run = bad_input("there is no memory left");
  int before = 0;
  for (int frame = 0; frame < 40; ++frame) {
    app.tick(0.02);
    CHECK(pictures(app) - before <= 1);
    before = pictures(app);
  }
  CHECK(before == int(labs().size()) - 1);
  CHECK(says(texts_of(app), "no picture: there is no memory left"));
  CHECK_FALSE(app.wants_frames());
}

TEST_CASE("every lab draws a card of its opening run, in words of 10.5 pixels or more, inside its area") {
  constexpr Rect kArea{100, 100, 284, 104};
  for (const bool dark : {false, true})
    for (const Lab* lab : labs()) {
      CAPTURE(lab->info().slug);
      const auto scene = lab->open(std::make_shared<const Run>(opening_run(*lab)));
      SvgCanvas empty(600, 400, {}), canvas(600, 400, {});
      const Theme& theme = dark ? dark_theme() : light_theme();
      scene->card(canvas, {{scene->opening_step(0), 0}, kArea, theme});
      for (const auto& text : canvas.texts()) CHECK(text.rect.h >= 10.5f);
      CHECK(canvas.finish().size() > empty.finish().size() + 500);
    }
}

TEST_CASE("a click on a card opens that lab; undo and redo go across") {
  FakeRunner runner;
  App app(at_home(), &runner);
  const std::string slug = labs()[2]->info().slug, first = app.state().lab;
  {
    Screen screen(app, 1600, 900);
    screen.click("home/card/" + slug);
  }
  CHECK_FALSE(app.state().home);
  CHECK(app.state().lab == slug);
  app.tick(1);
  REQUIRE(runner.started.size() == 1);
  CHECK(runner.started[0].lab == slug);
  app.on_key(letter('Z', true));
  CHECK(app.state().home);
  CHECK(app.state().lab == first);
  app.on_key(letter('Y', true));
  CHECK_FALSE(app.state().home);
  CHECK(app.state().lab == slug);
}

TEST_CASE("Esc, H and the program's name lead home; from there H and Continue lead back to the same step") {
  FakeRunner runner;
  App app(state_of("tiled", 128), &runner);
  app.show(emulated("tiled", 128));
  app.tick(0), app.go_to(77);
  SUBCASE("Esc") {
    KeyPress escape;
    escape.key = Key::escape;
    runner.cancel();
    app.on_key(escape);
  }
  SUBCASE("H") { app.on_key(letter('H')); }
  SUBCASE("name") {
    Screen screen(app, 1600, 900);
    screen.click("rail/home");
  }
  REQUIRE(app.state().home);
  CHECK(says(texts_of(app), "transpose · tiled, step 78 of 129"));
  if (app.wants_frames()) app.on_key(letter('H'));
  if (app.state().home) {
    Screen screen(app, 1600, 900);
    screen.click("home/continue");
  }
  CHECK_FALSE(app.state().home);
  CHECK(app.state().step == 77);
}

TEST_CASE("after a restart Continue names lab, rung and step, and brings back the same moment") {
  Settings kept;
  std::string moment;
  {
    FakeRunner runner;
    App app(state_of("tiled", 128), &runner, kept);
    app.show(emulated("tiled", 128));
    app.tick(0), app.go_to(77);
    moment = app.moment();
    app.keep_place();
    kept = app.settings();
  }
  FakeRunner runner;
  AppState state = at_home();
  state.rung = "copy", state.dark = true;
  App app(state, &runner, kept);
  CHECK_FALSE(app.can_go_on());
  app.return_to_place();
  CHECK(app.state().home);
  CHECK(app.state().dark);
  REQUIRE(app.can_go_on());
  CHECK(says(texts_of(app), "transpose · tiled, step 78 of 129"));
  app.tick(1);
  CHECK(runner.started.empty());
  app.go_on();
  app.tick(1);
  REQUIRE(runner.started.size() == 1);
  CHECK(runner.started[0].rung == "tiled");
  runner.answer(as_asked(runner.started[0]));
  app.tick(1);
  CHECK(app.moment() == moment);
}

TEST_CASE("another lab and back: the same settings and the same moment") {
  FakeRunner runner;
  AppState state = state_of("padded", 128);
  state.block = 1;
  App app(state, &runner);
  Run run = emulated("padded", 128);
  run.request.block = 1;
  app.show(run), app.go_to(77);
  const std::string moment = app.moment();
  app.choose_lab(labs().front()->info().slug);
  app.tick(1);
  runner.answer(as_asked(runner.started.back()));
  app.tick(1);
  REQUIRE(app.has_steps());
  app.go_home();
  app.choose_lab("transpose");
  app.tick(1);
  CHECK(runner.started.back().rung == "padded");
  CHECK(runner.started.back().block == 1);
  runner.answer(as_asked(runner.started.back()));
  app.tick(1);
  CHECK(app.moment() == moment);
  CHECK_FALSE(app.banner.has_value());
}

TEST_CASE("a place that cannot be read, or is of a lab that is gone, is none and no error") {
  for (const char* text : {"", "{", "[1,2]", R"({"schema":1,"lab":"nowhere","rung":"x"})",
                           R"({"schema":1,"lab":"transpose","rung":"nothing"})"}) {
    Settings settings;
    settings.place = text;
    FakeRunner runner;
    App app(at_home(), &runner, settings);
    app.return_to_place();
    CHECK_FALSE(app.can_go_on());
    CHECK_FALSE(app.banner.has_value());
    CHECK(app.state().home);
    CHECK_FALSE(Screen(app, 1600, 900).has("home/continue"));
  }
}

TEST_CASE("Tab reaches every card and scrolls it into view; arrows go from card to card; the wheel scrolls") {
  FakeRunner runner;
  App app(at_home(), &runner);
  Screen screen(app, 1280, 720);
  for (const Lab* lab : labs()) {
    const std::string id = "home/card/" + lab->info().slug;
    CAPTURE(id);
    for (int presses = 0; presses < 80 && screen.interaction().focus() != id; ++presses) {
      screen.interaction().move_focus(1);
      screen.frame(), screen.frame();
    }
    REQUIRE(screen.interaction().focus() == id);
    CHECK(app.home_focus == id);
    const auto& areas = screen.interaction().areas();
    const auto area = std::find_if(areas.begin(), areas.end(), [&](const auto& a) { return a.id == id; });
    CHECK(area->rect.h == doctest::Approx(area->whole.h));
  }
  screen.interaction().set_focus("home/card/" + labs()[0]->info().slug);
  screen.frame(), screen.frame();
  KeyPress right;
  right.key = Key::right;
  app.on_key(right);
  CHECK(app.wanted_focus == "home/card/" + labs()[1]->info().slug);
  KeyPress up;
  up.key = Key::up;
  app.on_key(up);
  CHECK(app.wanted_focus == "home/start");
  app.home_scroll = 0;
  screen.wheel({700, 500}, -2);
  CHECK(app.home_scroll == 120);
}

TEST_CASE("keys of a lab do nothing at home") {
  FakeRunner runner;
  App app(at_home(), &runner);
  const AppState before = app.state();
  for (const char c : std::string("CRP[]123")) app.on_key(letter(c));
  for (const char c : std::string("CS")) app.on_key(letter(c, true));
  for (Key key : {Key::space, Key::home, Key::end, Key::f6}) {
    KeyPress press;
    press.key = key;
    app.on_key(press);
  }
  CHECK(app.state() == before);
  CHECK(app.menu.kind == MenuKind::none);
  CHECK_FALSE(app.to_clipboard.has_value());
}

TEST_CASE("a scene or run that is opened at home leaves it; the list finds a lab") {
  FakeRunner runner;
  App app(at_home(), &runner);
  REQUIRE(app.open_text(R"({"schema":1,"lab":"transpose","rung":"padded"})", "text"));
  CHECK_FALSE(app.state().home);
  app.go_home();
  runner.files.emplace("/a/run.npz", emulated("naive", 64));
  REQUIRE(app.open_file("/a/run.npz"));
  CHECK_FALSE(app.state().home);
  app.go_home();
  app.open_menu(MenuKind::find);
  for (const char c : std::string("padded")) app.type_character(char32_t(c));
  KeyPress enter;
  enter.key = Key::enter;
  app.on_key(enter);
  CHECK_FALSE(app.state().home);
  CHECK(app.state().rung == "padded");
}

// --- runs in the background

namespace {

std::optional<Runner::Outcome> next_outcome(BackgroundRuns& runs) {
  for (const auto end = std::chrono::steady_clock::now() + 60s; std::chrono::steady_clock::now() < end;
       std::this_thread::sleep_for(2ms))
    if (auto outcome = runs.poll()) return outcome;
  return {};
}

WorkerOptions real_workers() {
  WorkerOptions options;
  options.program = kProgram;
  return options;
}

Request small_request() {
  Request request = opening_request(*labs().front());
  request.engine = EngineKind::emulator;
  return request;
}

}  // namespace

TEST_CASE("a background run is kept, read again, and made again where its file is damaged or another's") {
  const TemporaryFolder folder;
  const Request request = small_request();
  const auto file = folder / kept_run_name(request);
  {
    BackgroundRuns runs(real_workers(), folder.path());
    runs.start({request});
    const auto made = next_outcome(runs);
    REQUIRE(made.has_value());
    REQUIRE(made->run.ok());
  }
  REQUIRE(std::filesystem::exists(file));
  {  // a program that cannot run anything answers from the file
    WorkerOptions none;
    none.program = "/nowhere";
    BackgroundRuns runs(none, folder.path());
    runs.start({request});
    const auto kept = next_outcome(runs);
    REQUIRE(kept.has_value());
    REQUIRE(kept->run.ok());
    CHECK(kept->run->request.lab == request.lab);
  }
  SUBCASE("cut short") { std::filesystem::resize_file(file, 100); }
  SUBCASE("nonsense") { std::ofstream(file) << "nonsense"; }
  SUBCASE("another lab's run") {
    BackgroundRuns runs(real_workers(), folder.path());
    Request other = opening_request(*labs().back());
    other.engine = EngineKind::emulator;
    runs.start({other});
    REQUIRE(next_outcome(runs).has_value());
    std::this_thread::sleep_for(300ms);
    std::filesystem::copy_file(folder / kept_run_name(other), file,
                               std::filesystem::copy_options::overwrite_existing);
  }
  {
    BackgroundRuns runs(real_workers(), folder.path());
    runs.start({request});
    const auto again = next_outcome(runs);
    REQUIRE(again.has_value());
    REQUIRE(again->run.ok());
    CHECK(again->run->request.lab == request.lab);
  }
  CHECK(load_recording(file).ok());
}

TEST_CASE("a file of an older kernel goes when a new one is kept") {
  const TemporaryFolder folder;
  const Request request = small_request();
  const std::string old = request.lab + "-" + request.rung + "-0000000000000000.npz";
  std::ofstream(folder / old) << "old";
  std::ofstream(folder / "notes.txt") << "the reader's";
  {
    BackgroundRuns runs(real_workers(), folder.path());
    runs.start({request});
    REQUIRE(next_outcome(runs).has_value());
  }
  CHECK_FALSE(std::filesystem::exists(folder / old));
  CHECK(std::filesystem::exists(folder / "notes.txt"));
}

TEST_CASE(
    "background runs stand back while they are held, and go on afterwards; an error does not stop them") {
  BackgroundRuns runs(real_workers(), {});
  Request wrong = small_request();
  wrong.rung = "nothing";
  runs.start({wrong, small_request()});
  auto first = runs.poll();  // it is on its way, or told already
  std::this_thread::sleep_for(20ms);
  if (!first) first = runs.poll();
  runs.hold(true);
  for (int i = 0; i < 50; ++i) {
    CHECK_FALSE(runs.poll().has_value());
    std::this_thread::sleep_for(2ms);
  }
  runs.hold(false);
  if (!first) first = next_outcome(runs);
  const auto second = next_outcome(runs);
  REQUIRE(first.has_value());
  CHECK_FALSE(first->run.ok());
  REQUIRE(second.has_value());
  CHECK(second->run.ok());
}

namespace {

template <class F>
bool eventually(F&& holds) {
  for (const auto end = std::chrono::steady_clock::now() + 10s; std::chrono::steady_clock::now() < end;
       std::this_thread::sleep_for(30ms))
    if (holds()) return true;
  return false;
}

}  // namespace

TEST_CASE("a real window: it opens with the home, keeps the place while it runs, and goes on there") {
  if (!can_open_windows()) return;
  RealWindow window({}, "");
  const auto is_home = [&] { return window.title() == "Lockstep · home"; };
  REQUIRE(eventually(is_home));
  window.focus();
  window.keys("slash");
  window.xdotool("type --delay 12 padded");
  window.keys("Return");
  REQUIRE(window.shows("padded · step "));
  window.keys("Home Right Right");
  REQUIRE(window.shows("padded · step 3 of"));
  CHECK(eventually([&] { return window.settings().find("\"place_step\": 3") != std::string::npos; }));
  window.keys("h");
  CHECK(eventually(is_home));
  window.keys("h");
  CHECK(window.shows("padded · step 3 of"));
  window.keys("ctrl+q");
  CHECK(window.program().exit_code(30s) == 0);
}
