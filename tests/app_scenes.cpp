// Scenes and files: what is copied gives the same picture, and what cannot be opened changes nothing.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "app/draw/canvas_svg.hpp"
#include "app/engine/engine.hpp"
#include "app/engine/run_file.hpp"
#include "app/shell/scene.hpp"
#include "app/shell/views.hpp"
#include "app_support.hpp"
#include "engine_support.hpp"
#include "places.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

KeyPress control(char c, bool shift = false) { return {Key::character, c, true, shift}; }

AppState emulated_state(const std::string& rung, std::int64_t n) {
  AppState state = state_of(rung, n);
  state.engine = EngineKind::emulator;
  return state;
}

// The run that the window's worker would answer with: emulated counts beside a recording's times.
const Run& answered(const std::string& rung, std::int64_t n) {
  static std::map<std::pair<std::string, std::int64_t>, Run> made;
  const std::pair key{rung, n};
  if (const auto found = made.find(key); found != made.end()) return found->second;
  const TemporaryFolder folder;
  const std::string file = folder / "run.npz";
  run_program({"run", "transpose", "--engine", "emulator", "--rung", rung, "--set", "n=" + std::to_string(n),
               "--save", file});
  auto run = load_run(file);
  REQUIRE(run.ok());
  return made.emplace(key, std::move(*run)).first->second;
}

// Where two texts part, "" where they are equal.
std::string difference(const std::string& a, const std::string& b) {
  const auto [at, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (at == a.end() && in_b == b.end()) return "";
  return std::string(at, std::min(at + 200, a.end())) + "\n  instead of\n" +
         std::string(in_b, std::min(in_b + 200, b.end()));
}

// What the window shows in this state, as the SVG maker draws it.
std::string window_picture(const AppState& state, float width, float height) {
  App app(state, nullptr);
  app.timed_without_runner =
      timed_recordings(*make_recording_engine({in_source("assets/recordings")}), state.lab);
  const auto n = std::get<std::int64_t>(state.params.at("n"));
  app.show(answered(state.rung, n));
  if (!state.compare.empty()) app.compare(answered(state.compare, n));
  app.go_to(state.step);
  SvgCanvas canvas(width, height, app.theme().ground);
  draw_app(canvas, app, {0, 0, width, height});
  return canvas.finish();
}

// Runs a copied command in a shell, as the reader will.
int run_copied(const std::string& command) {
  const TemporaryFolder home;
  const std::string script = "lockstep() { env -u DISPLAY -u XDG_DATA_HOME HOME=" + quoted(home.path()) +
                             " " + quoted(kProgram) + " \"$@\"; }\n" + command + "\n";
  return std::system(("sh -c " + quoted(script)).c_str());
}

std::vector<AppState> several_states() {
  std::vector<AppState> states;
  const auto add = [&](const std::string& rung, std::int64_t n, auto&& change) {
    AppState state = emulated_state(rung, n);
    state.step = 20;
    change(state);
    states.push_back(state);
  };
  add("tiled", 128, [](AppState& s) { s.compare = "padded", s.dark = true; });
  add("naive", 100, [](AppState& s) { s.language = Language::chinese; });
  add("padded", 64, [](AppState& s) {
    s.projector = true, s.pinned = {{std::uint16_t(0), std::uint64_t(70)}};
  });
  add("copy", 33, [](AppState& s) { s.step = 0, s.compare = "vectorized"; });
  return states;
}

std::string copied(const AppState& state) {
  App app(state, nullptr);
  app.copy_scene();
  return *app.to_clipboard;
}

}  // namespace

TEST_CASE("the copied command draws the window's own picture, byte for byte" * doctest::test_suite("slow")) {
  const TemporaryFolder folder;
  const std::string file = folder / "it's a \"picture\".svg";
  for (const AppState& state : several_states()) {
    const std::string command = shot_command(state, {1440, 900, 1}, file);
    CAPTURE(command);
    CHECK(run_copied(command) == 0);
    CHECK(difference(text_of(file), window_picture(state, 1440, 900)) == "");
  }
}

TEST_CASE("the copied scene opens as the state that it was copied from") {
  for (const AppState& state : several_states()) {
    FakeRunner runner;
    App app(state_of("swizzled", 64), &runner);
    const std::string text = copied(state);
    CAPTURE(text);
    REQUIRE(app.open_text(text, "the clipboard"));
    AppState opened = app.state();
    opened.engine = state.engine;  // the reader's own
    CHECK(opened == state);
    app.set_language(Language::english);
  }
}

TEST_CASE("a scene brings its step with it, and can be taken back") {
  FakeRunner runner;
  App app(state_of("tiled", 64), &runner);
  app.show(emulated("tiled"));
  const AppState before = app.state();
  REQUIRE(app.open_text(R"({"schema":1,"lab":"transpose","rung":"naive","params":{"n":100},"step":7})", "x"));
  CHECK(app.run() == nullptr);  // nothing of another rung stands under this one's name
  app.tick(1);
  CHECK(runner.started.back().rung == "naive");
  runner.answer(emulated("naive", 100));
  app.tick(0.01);
  CHECK(app.state().step == 7);
  CHECK(app.back());
  CHECK(app.state() == before);
  REQUIRE(app.open_text(R"({"schema":1,"lab":"transpose","rung":"tiled","params":{"n":64},"step":9})", "x"));
}

namespace {

// transpose/tiled with n rows, at the step of this name.
std::string scene_at(const std::string& moment, std::int64_t n) {
  return R"({"schema":1,"lab":"transpose","rung":"tiled","params":{"n":)" + std::to_string(n) +
         R"(},"at":")" + moment + "\"}";
}

}  // namespace

TEST_CASE(
    "a scene says by name where it stands, and opens there at another size, where that has another number") {
  App app(state_of("tiled", 20), nullptr);
  app.show(emulated("tiled", 20));
  app.go_to(app.last_step() - 2);
  app.copy_scene();
  const std::string moment = app.moment();
  CHECK(app.to_clipboard->find("\"at\": \"" + moment + "\"") != std::string::npos);
  CHECK(app.to_clipboard->find("\"step\"") == std::string::npos);
  FakeRunner runner;
  App other(state_of("naive", 64), &runner);
  REQUIRE(other.open_text(scene_at(moment, 128), "x"));
  other.set_dark(true);  // until the run is there
  other.tick(1);
  runner.answer(emulated("tiled", 128));
  other.tick(0.01);
  CHECK_FALSE(other.banner.has_value());
  CHECK(other.moment() == moment);
  CHECK(other.state().step != app.state().step);
}

TEST_CASE(
    "a step that the scene's run turns out not to have is one clear error, over the lab's opening step") {
  FakeRunner runner;
  App app(state_of("naive", 64), &runner);
  REQUIRE(app.open_text(scene_at("polish out, warp 4", 128), "x"));
  app.tick(1);
  runner.answer(emulated("tiled", 128));
  app.tick(0.01);
  REQUIRE(app.banner.has_value());
  CHECK(app.banner->text().find("'polish out, warp 4'") != std::string::npos);
  CHECK(app.banner->text().find("'" + app.moment() + "'") != std::string::npos);  // what a step is called
  CHECK(app.state().step == app.scene()->opening_step(0));
}

TEST_CASE("a shot follows the warp that the lab opens at, unless another one is named") {
  const TemporaryFolder folder;
  const auto drawn = [&](std::vector<std::string> words) {
    words.insert(words.begin(),
                 {"shot", "threads", "--engine", "emulator", "--set", "block_x=33", "-o", folder / "p.svg"});
    CHECK(run_program(words).exit == 0);
    return text_of(folder / "p.svg");
  };
  CHECK(drawn({}).find(">warp 1, thread 32<") != std::string::npos);
  CHECK(drawn({"--warp", "0"}).find(">warp 0, thread") != std::string::npos);
}

TEST_CASE("a shot of a scene by name draws what its number draws, at any size; an unknown name is refused") {
  const TemporaryFolder folder;
  App app(state_of("tiled", 128), nullptr);
  app.show(emulated("tiled", 128));
  app.go_to(30);
  std::ofstream(folder / "s.json") << scene_at(app.moment(), 128);
  const auto shot = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--engine", "emulator", "-o", folder / "p.svg"});
    words.insert(words.begin(), "shot");
    return run_program(words);
  };
  CHECK(shot({"--scene", folder / "s.json"}).exit == 0);
  const std::string by_name = text_of(folder / "p.svg");
  CHECK(shot({"transpose", "--rung", "tiled", "--set", "n=128", "--step", "30"}).exit == 0);
  CHECK(difference(text_of(folder / "p.svg"), by_name) == "");
  CHECK(shot({"--scene", folder / "s.json", "--step", "3"}).exit == 0);  // a flag goes before
  CHECK(difference(text_of(folder / "p.svg"), by_name) != "");
  std::ofstream(folder / "s.json") << scene_at("polish out, warp 4", 128);
  const auto refused = shot({"--scene", folder / "s.json"});
  CHECK(refused.exit == 2);
  CHECK(refused.err.find("'polish out, warp 4', and this run has no such step") != std::string::npos);
}

TEST_CASE("a scene that names no step opens where the lab does, and leaves the reader's view alone") {
  FakeRunner runner;
  App app(state_of("tiled", 64), &runner);
  app.show(emulated("tiled"));
  const int opening = app.state().step;
  app.set_dark(true);
  app.go_to(0);
  REQUIRE(app.open_text(R"({"schema":1,"lab":"transpose","rung":"tiled","params":{"n":64}})", "x"));
  CHECK(app.state().step == opening);
  CHECK(app.state().dark);
}

TEST_CASE("what a scene says of the view is not kept in the settings") {
  App app(state_of("tiled", 64), nullptr);
  REQUIRE(app.open_text(R"({"schema":1,"lab":"transpose","rung":"tiled","dark":true})", "x"));
  CHECK(app.state().dark);
  CHECK_FALSE(app.settings().dark);
}

TEST_CASE("a bad scene is one clear error and changes nothing") {
  App app(state_of("tiled", 64), nullptr);
  app.show(emulated("tiled"));
  const AppState before = app.state();
  const std::pair<const char*, const char*> bad[] = {
      {"", "not a JSON object"},
      {"{", "not a JSON object"},
      {R"({"schema":2,"lab":"transpose","rung":"naive"})", "schema is not 1"},
      {R"({"schema":1,"lab":"transpose"})", "'rung' is missing"},
      {R"({"schema":1,"lab":"alchemy","rung":"naive"})", "alchemy"},
      {R"({"schema":1,"lab":"transpose","rung":"naiv"})", "naiv"},
      {R"({"schema":1,"lab":"transpose","rung":"naive","params":{"n":0}})", "n = 0"},
      {R"({"schema":1,"lab":"transpose","rung":"naive","params":{"n":[1]}})", "'params'"},
      {R"({"schema":1,"lab":"transpose","rung":"naive","params":{"m":1}})", "m"},
      {R"({"schema":1,"lab":"transpose","rung":"naive","step":-3})", "'step'"},
      {R"({"schema":1,"lab":"transpose","rung":"naive","step":1e30})", "'step'"},
      {R"({"schema":1,"lab":"transpose","rung":"naive","at":7})", "'at'"},
      {R"({"schema":1,"lab":"transpose","rung":"naive","at":""})", "'at'"},
      {R"({"schema":1,"lab":"transpose","rung":"tiled","params":{"n":64},"at":"polish out, warp 4"})",
       "'polish out, warp 4', and this run has no such step"},
      {R"({"schema":1,"lab":"transpose","rung":"naive","dark":1})", "'dark'"},
      {R"({"schema":1,"lab":"transpose","rung":"naive","language":"fr"})", "'language'"},
      {R"({"schema":1,"lab":"transpose","rung":"naive","pinned":[1]})", "'pinned'"},
      {R"({"schema":1,"lab":"transpose","rung":"naive","compare":"gold"})", "gold"}};
  for (const auto& row : bad) {
    const auto &text = row.first, &names = row.second;  // a binding cannot be captured
    CAPTURE(text);
    app.banner.reset();
    CHECK_FALSE(app.open_text(text, "the clipboard"));
    REQUIRE(app.banner.has_value());
    CHECK(app.banner->text().find(names) != std::string::npos);
    CHECK(app.state() == before);
    CHECK(app.run() != nullptr);
    CHECK_FALSE(app.back());
  }
}

TEST_CASE("Ctrl+S saves under the proposed or a typed name, and Ctrl+O opens it again") {
  const TemporaryFolder folder;
  FakeRunner runner;
  App app(state_of("padded", 64), &runner);
  app.show(emulated("padded"));
  app.go_to(11);
  app.on_key(control('S'));
  CHECK(app.menu.text() == "lockstep-transpose-padded.json");
  const std::string file = folder / "my scene.json";
  for (const char c : file) app.type_character(char32_t(c));  // replaces the proposal
  app.on_key({Key::enter, 0, false, false});
  CHECK(app.menu.kind == MenuKind::none);
  CHECK(app.notice.has_value());
  app.copy_scene();
  CHECK(text_of(file) == *app.to_clipboard);
  app.choose_rung("naive");
  app.on_key(control('O'));
  app.paste(file + "\n");
  app.on_key({Key::enter, 0, false, false});
  CHECK(app.state().rung == "padded");
  CHECK(app.state().step == 11);
}

TEST_CASE("a name that cannot be written stays in its field, with the reason") {
  App app(state_of("padded", 64), nullptr);
  app.on_key(control('S'));
  for (const char c : std::string("/nowhere/a.json")) app.type_character(char32_t(c));
  app.on_key({Key::enter, 0, false, false});
  CHECK(app.menu.wrong.has_value());
  CHECK(app.menu.text() == "/nowhere/a.json");
  CHECK(app.menu.kind == MenuKind::save);
}

TEST_CASE("a dropped file opens as a saved run or as a scene, by its ending") {
  FakeRunner runner;
  runner.files["class/a.npz"] = emulated("naive", 100);
  App app(state_of("tiled", 64), &runner);
  CHECK(app.open_file("class/a.npz"));
  CHECK(app.state().saved == "class/a.npz");
  CHECK(app.run()->request.rung == "naive");
  CHECK_FALSE(app.open_file("class/none.npz"));
  CHECK(app.banner->text().find("none.npz") != std::string::npos);
  CHECK(app.state().saved == "class/a.npz");
  CHECK_FALSE(app.open_file("none.json"));
  CHECK(app.banner->text().find("none.json") != std::string::npos);
}

TEST_CASE("a saved run's command names its file, and draws its picture, beside another one too") {
  const TemporaryFolder folder;
  REQUIRE(save_run(emulated("tiled", 128), folder / "a.npz"));
  REQUIRE(save_run(emulated("padded", 128), folder / "b.npz"));
  AppState state = state_of("tiled", 128);
  state.saved = folder / "a.npz", state.compare = folder / "b.npz", state.step = 30;
  const std::string command = shot_command(state, {}, folder / "p.svg");
  CHECK(command.find("--set") == std::string::npos);
  CHECK(run_copied(command) == 0);
  const std::string picture = text_of(folder / "p.svg");
  CHECK(picture.find(">a.npz</text>") != std::string::npos);
  CHECK(picture.find(">b.npz</text>") != std::string::npos);
  CHECK(picture.find("÷ 32") != std::string::npos);
}

TEST_CASE("a scene file brings its comparison and its view to a shot, and a flag goes before") {
  const TemporaryFolder folder;
  AppState state = emulated_state("tiled", 128);
  state.compare = "padded", state.dark = true, state.step = 30;
  std::ofstream(folder / "s.json") << scene_text(state);
  CHECK(run_program({"shot", "--engine", "emulator", "--scene", folder / "s.json", "-o", folder / "p.svg"})
            .exit == 0);
  CHECK(difference(text_of(folder / "p.svg"), window_picture(state, 1600, 900)) == "");
  CHECK(run_program({"shot", "--engine", "emulator", "--scene", folder / "s.json", "--theme", "light",
                     "--compare", "naive", "-o", folder / "p.svg"})
            .exit == 0);
  state.compare = "naive", state.dark = false;
  CHECK(difference(text_of(folder / "p.svg"), window_picture(state, 1600, 900)) == "");
}

TEST_CASE("the window's own words are checked before it opens: scene, saved run, comparison") {
  const TemporaryFolder folder;
  std::ofstream(folder / "bad.json") << "{";
  std::ofstream(folder / "good.json") << scene_text(state_of("tiled", 128));
  CHECK(run_program({folder / "bad.json"}).err.find("not a scene") != std::string::npos);
  CHECK(run_program({folder / "good.json"}).exit == 3);  // no display here, the scene is fine
  CHECK(run_program({"--scene", folder / "good.json", "--compare", "gold"}).err.find("'gold'") !=
        std::string::npos);
  Run stranger = emulated("tiled", 128);
  stranger.request.lab = "alchemy";
  REQUIRE(save_run(stranger, folder / "stranger.npz"));
  REQUIRE(save_run(emulated("tiled", 128), folder / "a.npz"));
  const auto refused = run_program({"--run", folder / "a.npz", "--compare", folder / "stranger.npz"});
  CHECK(refused.exit == 2);
  CHECK(refused.err.find("alchemy") != std::string::npos);
  CHECK(run_program({folder / "none.npz"}).err.find("none.npz") != std::string::npos);
  CHECK(run_program({folder / "good.json"}).err.find("display") != std::string::npos);
}
