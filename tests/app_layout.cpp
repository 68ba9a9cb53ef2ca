// What was drawn, read back from the SVG maker: nothing overlaps, nothing is cut off, every step of every
// rung draws.
#include <doctest/doctest.h>

#include <algorithm>

#include "app/draw/canvas_svg.hpp"
#include "app/engine/engine.hpp"
#include "app/shell/views.hpp"
#include "app_support.hpp"
#include "drawn_texts.hpp"
#include "kernels/ladder.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

struct Look {
  float width = 1600, height = 900;
  Language language = Language::english;
  bool projector = false;
};

AppState state_for(const std::string& rung, const Look& look, bool dark = false) {
  AppState state = state_of(rung, 128);
  state.language = look.language, state.projector = look.projector, state.dark = dark;
  return state;
}

std::string name_of(const Look& look) {
  return std::to_string(int(look.width)) + "x" + std::to_string(int(look.height)) +
         (look.language == Language::chinese ? " zh" : " en") + (look.projector ? " projector" : "");
}

std::vector<SvgCanvas::DrawnText> texts_at(App& app, const Look& look) {
  SvgCanvas canvas(look.width, look.height, app.theme().ground);
  draw_app(canvas, app, {0, 0, look.width, look.height});
  return canvas.texts();
}

void check_texts(App& app, const Look& look) {
  const auto faults = faults_of(texts_at(app, look));
  const std::string first = faults.empty() ? "" : faults.front();
  CAPTURE(name_of(look));
  CAPTURE(app.state().rung);
  CAPTURE(app.state().step);
  CAPTURE(first);
  CHECK(faults.size() == 0);
}

const std::vector<std::string>& rungs() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> slugs;
    for (const RungInfo& rung : find_lab("transpose")->info().rungs) slugs.push_back(rung.slug);
    return slugs;
  }();
  return all;
}

std::vector<Look> looks() {
  std::vector<Look> all;
  for (const auto& [w, h] : {std::pair{1280.f, 720.f}, {1600.f, 900.f}, {1920.f, 1080.f}, {3840.f, 2160.f}})
    for (Language language : {Language::english, Language::chinese})
      for (bool projector : {false, true}) all.push_back({w, h, language, projector});
  return all;
}

}  // namespace

TEST_CASE("no text lies on another or is cut off: every rung at every size, language and in projector mode") {
  for (const Look& look : looks())
    for (const std::string& rung : rungs()) {
      App app(state_for(rung, look), nullptr);
      app.show(emulated(rung, 128));
      for (const Phase& phase : app.scene()->axis().phases()) {
        app.go_to(phase.first);
        check_texts(app, look);
      }
    }
}

namespace {

App app_at(const LabInfo& lab, const std::string& rung, const Look& look) {
  AppState state = state_for("copy", look);
  state.lab = lab.slug, state.rung = rung, state.params = *complete_params(lab, rung, {});
  App app(state, nullptr);
  app.show(emulated_run(lab.slug, rung, state.params));
  return app;
}

}  // namespace

TEST_CASE("every lab is drawn where it opens, alone and beside another rung") {
  for (const Lab* lab : labs()) {
    const std::string &first = lab->info().rungs.front().slug, &last = lab->info().rungs.back().slug;
    App app = app_at(lab->info(), first, {});
    CAPTURE(lab->info().slug);
    check_texts(app, {});
    app.compare(emulated_run(lab->info().slug, last, *complete_params(lab->info(), last, {})));
    check_texts(app, {});
  }
}

TEST_CASE(
    "no text lies on another or is cut off: every rung of every lab where it opens, alone and compared" *
    doctest::test_suite("slow")) {
  for (const Look& look : looks())
    for (const Lab* lab : labs())
      for (const RungInfo& rung : lab->info().rungs) {
        App app = app_at(lab->info(), rung.slug, look);
        CAPTURE(lab->info().slug);
        check_texts(app, look);
        const std::string& other = lab->info().rungs.front().slug;
        app.compare(emulated_run(lab->info().slug, other, *complete_params(lab->info(), other, {})));
        check_texts(app, look);
      }
}

TEST_CASE("every lab draws every step of every rung at its default settings" * doctest::test_suite("slow")) {
  for (const Lab* lab : labs())
    for (const RungInfo& rung : lab->info().rungs) {
      App app = app_at(lab->info(), rung.slug, {});
      REQUIRE(app.has_steps());
      CAPTURE(lab->info().slug);
      for (int step = 0; step <= app.last_step(); ++step) {
        app.go_to(step);
        check_texts(app, {});
      }
    }
}

TEST_CASE("the transpose draws every step of every rung at any size" * doctest::test_suite("slow")) {
  for (const std::string& rung : rungs())
    for (std::int64_t n : {1, 33, 100}) {
      App app(state_of(rung, n), nullptr);
      app.show(emulated(rung, n));
      REQUIRE(app.has_steps());
      for (int step = 0; step <= app.last_step(); ++step) {
        app.go_to(step);
        check_texts(app, {});
      }
    }
}

TEST_CASE("the product draws every step of every rung at any size" * doctest::test_suite("slow")) {
  const LabInfo& gemm = find_lab("gemm")->info();
  const auto size = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    return Params{{"m", m}, {"n", n}, {"k", k}};
  };
  for (const RungInfo& rung : gemm.rungs)
    for (const Params& edges :
         {size(1, 1, 1), size(33, 65, 17), size(5, 24, 200), size(200, 136, 72), size(136, 264, 264)}) {
      Params params = edges;
      if (const auto sets = gemm.sets.find(rung.slug); sets != gemm.sets.end() && int_param(edges, "m") > 100)
        params.merge(Params(sets->second.back()));
      const auto complete = complete_params(gemm, rung.slug, snapped(gemm, rung.slug, params));
      REQUIRE(complete.ok());
      AppState state = state_for("copy", {});
      state.lab = "gemm", state.rung = rung.slug, state.params = *complete;
      App app(state, nullptr);
      app.show(emulated_run("gemm", rung.slug, *complete));
      const int stride = 1 + app.last_step() / 20;
      for (int step = 0; step <= app.last_step(); step += stride) {
        app.go_to(step);
        CAPTURE(to_string(complete->at("m")));
        check_texts(app, {});
        check_texts(app, {1280, 720});
      }
    }
}

TEST_CASE("the softmax draws every step of every rung for every input, at any size" *
          doctest::test_suite("slow")) {
  const LabInfo& softmax = find_lab("softmax")->info();
  for (const RungInfo& rung : softmax.rungs)
    for (const char* input : {"random", "equal", "huge", "one", "none"})
      for (const auto& [rows, cols] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {5, 33}, {200, 1000}}) {
        const Params params{{"rows", rows},
                            {"cols", cols},
                            {"scale", 1000.0},
                            {"input", std::string(input)},
                            {"dtype", std::string(cols == 33 ? "half" : "float")}};
        const auto complete = complete_params(softmax, rung.slug, snapped(softmax, rung.slug, params));
        REQUIRE(complete.ok());
        AppState state = state_for("copy", {});
        state.lab = "softmax", state.rung = rung.slug, state.params = *complete;
        App app(state, nullptr);
        app.show(emulated_run("softmax", rung.slug, *complete));
        const int stride = 1 + app.last_step() / 12;
        const std::string shown = std::string(input) + ", " + std::to_string(cols) + " columns";
        CAPTURE(shown);
        for (int step = 0; step <= app.last_step(); step += stride) {
          app.go_to(step);
          check_texts(app, {});
          check_texts(app, {1280, 720});
        }
      }
}

TEST_CASE("the home: no text lies on another or is cut off, with every card, none, and one that failed") {
  for (const Look& look : looks()) {
    FakeRunner runner;
    AppState state = state_for("tiled", look);
    state.home = true;
    App app(state, &runner);
    check_texts(app, look);
    for (const Lab* lab : labs()) {
      const Request request = opening_request(*lab);
      app.show_card(emulated_run(request.lab, request.rung, request.params));
    }
    app.go_on(), app.tick(0), app.go_home();  // now there is a place to go back to
    REQUIRE(app.can_go_on());
    check_texts(app, look);
    app.home_scroll = 10000;
    check_texts(app, look);
    app.banner = Message{"the worker was killed by signal {0} ({1}) during the run; start the run again",
                         {"9", "Killed"}};
    check_texts(app, look);
  }
}

TEST_CASE("a picture is a function of state and run alone") {
  App once(state_for("padded", {}, true), nullptr), again(state_for("padded", {}, true), nullptr);
  for (App* app : {&once, &again}) app->show(emulated("padded", 128));
  again.go_to(0), again.go_to(once.state().step);
  SvgCanvas a(1600, 900, {}), b(1600, 900, {});
  draw_app(a, once, {0, 0, 1600, 900}), draw_app(b, again, {0, 0, 1600, 900});
  CHECK(a.finish() == b.finish());
}

TEST_CASE("text is never smaller than 9.5 pixels") {
  App app(state_for("tiled", {1280, 720}), nullptr);
  app.show(emulated("tiled", 128));
  for (const auto& t : texts_at(app, {1280, 720})) {
    CAPTURE(t.text);
    CHECK(t.rect.h >= 9.5f);
  }
}

TEST_CASE("help, engine list and menus lie over the window and fit it") {
  constexpr int kHelp = 0, kEngines = 1, kFirstMenu = 2;
  const MenuKind menus[] = {MenuKind::compare, MenuKind::scene, MenuKind::find,
                            MenuKind::save,    MenuKind::open,  MenuKind::open_beside};
  for (const Look& look : looks())
    for (int which = kHelp; which < kFirstMenu + int(std::size(menus)); ++which) {
      if (look.projector && which == kEngines) continue;  // a presentation has no engine list
      FakeRunner runner;
      App app(state_for("tiled", look), &runner);
      app.show(emulated("tiled", 128));
      const auto below = texts_at(app, look).size();
      if (which >= kFirstMenu) app.open_menu(menus[which - kFirstMenu]);
      app.help = which == kHelp, app.chooser_open = which == kEngines;
      if (has_field(app.menu.kind) && app.menu.kind != MenuKind::find)
        app.paste("/a/folder/whose/name/is/as/long/as/that/of/a/course/with/a/date/2026-11-21/scene.json");
      auto texts = texts_at(app, look);
      REQUIRE(texts.size() > below);
      texts.erase(texts.begin(), texts.begin() + std::ptrdiff_t(below));  // the overlay is drawn last
      const auto faults = faults_of(texts);
      const std::string first = faults.empty() ? "" : faults.front();
      CAPTURE(name_of(look));
      CAPTURE(which);
      CAPTURE(first);
      CHECK(faults.size() == 0);
      for (const auto& t : texts)
        CHECK(Rect{0, 0, look.width, look.height}.contains({t.rect.right(), t.rect.bottom()}));
    }
}

TEST_CASE("two rungs side by side: no text lies on another or is cut off, at every size") {
  for (const Look& look : looks())
    for (const auto& [rung, other] :
         {std::pair{"tiled", "padded"}, {"vectorized", "naive"}, {"copy", "swizzled"}}) {
      App app(state_for(rung, look), nullptr);
      app.show(emulated(rung, 128));
      app.compare(emulated(other, 128));
      for (const Phase& phase : app.scene()->axis().phases()) {
        app.go_to(phase.first);
        check_texts(app, look);
      }
    }
}

TEST_CASE("banner, findings, notices and a comparison take their room from the stage") {
  for (const Look& look : looks()) {
    App app(state_for("tiled", look), nullptr);
    Run run = emulated("tiled", 128);
    for (int i = 0; i < 6; ++i)
      run.findings.push_back({"race",
                              0,
                              i,
                              3,
                              12,
                              14,
                              "transpose/03_tiled.cuh",
                              {"block {0}: thread {1} reads at line {2} what thread {3} writes at line {4}, "
                               "with no barrier between",
                               {"0", "5", "22", "37", "14"}}});
    run.stale = true, run.check.pass = false;
    run.time = Timing{0.5, 0.4, 0.6, 20, 1.5, 0.3, "cudaMemcpy"};
    app.show(run);
    app.compare(emulated("padded", 128));
    app.banner = Message{"the worker was killed by signal {0} ({1}) during the run; start the run again",
                         {"9", "Killed"}};
    check_texts(app, look);
  }
}

TEST_CASE("without a run, while one goes on and after a failure the window still draws") {
  FakeRunner runner;
  App app(state_of("tiled"), &runner);
  const Look look;
  check_texts(app, look);
  app.tick(1);
  check_texts(app, look);
  runner.answer(bad_input("{0} with {1} was not recorded; the nearest recorded settings are {2}",
                          {"tiled", "n=7", "n=128"}));
  app.tick(1);
  CHECK(texts_at(app, look).size() > 10);
}

TEST_CASE("a run without events shows its numbers and says why there are no steps") {
  Run times = emulated("tiled", 128);
  times.launches.clear(), times.buffers.clear(), times.touches.clear();
  times.time = Timing{0.5, 0.4, 0.6, 20, 1.5, 0.3, "cudaMemcpy"};
  App app(state_of("tiled", 128), nullptr);
  app.show(times);
  check_texts(app, {});
}

TEST_CASE("lines that are new since the rung before are found whatever their indentation") {
  const auto fresh = new_lines("a\n  b\nc\n", "a\nx\n    b\nc\ny\n");
  CHECK(fresh == std::vector<bool>{false, true, false, false, true});
  CHECK(new_lines("", "a\n") == std::vector<bool>{true});
  CHECK(new_lines("a\n", "").empty());
}

TEST_CASE(
    "a stranger's run with illegal settings is refused; metrics of another type are left out, not fatal") {
  const LabInfo& banks = find_lab("banks")->info();
  Run run = emulated_run("banks", "layout", *complete_params(banks, "layout", {}));
  run.evidence.set("wavefronts_per_instruction", std::string("many"));
  run.evidence.set("measured.chain_cycles", std::int64_t{7});
  run.request.params.erase("formula");
  const auto completed = as_recording(run, "file");
  REQUIRE(completed.ok());
  App app(state_of("copy"), nullptr);
  app.choose_lab("banks");
  app.show(*completed);
  check_texts(app, {});
  run.request.params["pitch"] = std::string("wide");
  const auto refused = as_recording(run, "file");
  REQUIRE(!refused.ok());
  CHECK(refused.error().text().find("pitch") != std::string::npos);
}

TEST_CASE("the measured dots stand at the measured access, whatever step is shown") {
  const LabInfo& banks = find_lab("banks")->info();
  Run run = emulated_run("banks", "column", *complete_params(banks, "column", {}));
  run.evidence.merge({{"measured.chain_cycles", 91.25}, {"measured.throughput_cycles", 32.0}});
  App app(state_of("copy"), nullptr);
  app.choose_lab("banks"), app.choose_rung("column");
  app.show(run);
  const auto place_of = [&] {
    for (const auto& t : texts_at(app, {}))
      if (t.text == "91.2" && t.rect.x < 1270) return t.rect.x;
    return -1.f;
  };
  const float at_access = place_of();
  CHECK(at_access > 0);
  app.go_to(0);  // the tile is filled: one wavefront
  CHECK(place_of() == at_access);
}
