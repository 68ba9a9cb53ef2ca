// The pointer and the focus on ImGui with a null backend: no window, no GL.
#include <doctest/doctest.h>

#include <imgui.h>

#include <set>

#include "app/draw/canvas_svg.hpp"
#include "app/shell/frame_painter.hpp"
#include "app/shell/views.hpp"
#include "app_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

void wait(App& app) { app.tick(1); }

}  // namespace

TEST_CASE("every step of every rung draws on ImGui without GL") {
  for (const RungInfo& rung : find_lab("transpose")->info().rungs) {
    App app(state_of(rung.slug, 64), nullptr);
    app.show(emulated(rung.slug, 64));
    Screen screen(app, 1280, 720);
    for (int step = 0; step <= app.last_step(); ++step) {
      app.go_to(step);
      screen.frame();
      CHECK(screen.vertices() > 1000);
    }
  }
}

TEST_CASE("a click on Run runs, a click on Cancel cancels") {
  TiledWindow f;
  wait(f.app);
  f.runner.answer(emulated("tiled", 128));
  wait(f.app);
  f.screen.frame();
  f.screen.click("run");
  wait(f.app);
  CHECK(f.runner.started.size() == 2);
  f.screen.frame();
  f.screen.click("cancel");
  CHECK(f.runner.cancelled == 1);
}

TEST_CASE("a short run is not told of; a long one, after half a second, twice a second") {
  TiledWindow f;
  f.app.tick(0.03);
  REQUIRE(f.runner.busy());
  f.screen.frame();
  CHECK_FALSE(f.screen.has("cancel"));
  int told = 0;
  for (int i = 0; i < 200; ++i) f.app.tick(0.01), told += f.app.progress_due();
  CHECK(told >= 3);
  CHECK(told <= 4);
  f.screen.frame();
  CHECK(f.screen.has("cancel"));
  f.runner.answer(emulated("tiled", 128));
  f.app.tick(0.01);
  CHECK_FALSE(f.app.tells_progress());
  CHECK_FALSE(f.app.progress_due());
}

TEST_CASE(
    "the one rectangle under everything is cleared, not drawn; what is see-through or smaller is drawn") {
  TiledWindow f;
  f.screen.frame();
  const ImDrawData& data = *ImGui::GetDrawData();
  const ImDrawCmd& first = data.CmdLists[0]->CmdBuffer[0];
  ImDrawVert& corner = data.CmdLists[0]->VtxBuffer[data.CmdLists[0]->IdxBuffer[int(first.IdxOffset)]];
  const unsigned elements = first.ElemCount;
  const ImU32 drawn = corner.col;
  corner.col &= ~IM_COL32_A_MASK;
  CHECK_FALSE(take_ground(data));
  corner.col = drawn;
  corner.uv.x += 0.5f;  // of a picture
  CHECK_FALSE(take_ground(data));
  corner.uv.x -= 0.5f;
  CHECK(take_ground(data) == drawn);
  CHECK(elements - first.ElemCount == 6);
  CHECK_FALSE(take_ground(data));
}

TEST_CASE("pills, rail, engine list and switches change the state") {
  TiledWindow f;
  f.screen.click("rung/padded");
  CHECK(f.app.state().rung == "padded");
  f.screen.click("switch/theme");
  CHECK(f.app.state().dark);
  f.screen.click("switch/projector");
  CHECK(f.app.state().projector);
  f.app.on_key({Key::escape, 0, false, false});
  f.screen.frame();
  f.screen.click("engine");
  REQUIRE(f.screen.has("engine/emulator"));
  f.screen.click("engine/cuda");  // is not there: nothing happens
  CHECK(f.app.state().engine == EngineKind::automatic);
  f.screen.click("engine/emulator");
  CHECK(f.app.state().engine == EngineKind::emulator);
  CHECK_FALSE(f.app.chooser_open);
  f.screen.click("switch/help");
  CHECK(f.app.help);
  f.screen.click("help");
  CHECK_FALSE(f.app.help);
}

TEST_CASE("a click beside the open engine list closes it") {
  TiledWindow f;
  f.screen.click("engine");
  REQUIRE(f.app.chooser_open);
  f.screen.move({400, 500});
  f.screen.press(true), f.screen.press(false);
  CHECK_FALSE(f.app.chooser_open);
}

TEST_CASE("dragging a slider moves the parameter with the pointer, as one change") {
  TiledWindow f;
  const Rect r = f.screen.area("slider/n");
  f.screen.move({r.x + r.w * 0.3f, r.center().y});
  f.screen.press(true);
  const auto first = std::get<std::int64_t>(f.app.state().params.at("n"));
  for (float part : {0.5f, 0.7f, 0.9f}) f.screen.move({r.x + r.w * part, r.center().y});
  const auto last = std::get<std::int64_t>(f.app.state().params.at("n"));
  CHECK(first < 128);
  CHECK(last > 1000);
  f.screen.move({r.x + r.w * 3, r.center().y});  // held beyond its end
  CHECK(std::get<std::int64_t>(f.app.state().params.at("n")) == 16384);
  f.screen.press(false);
  CHECK(f.app.back());
  CHECK(std::get<std::int64_t>(f.app.state().params.at("n")) == 128);
}

TEST_CASE("the stepper's buttons, track and strip move the step") {
  TiledWindow f;
  f.screen.click("step/first");
  CHECK(f.app.state().step == 0);
  f.screen.click("step/next");
  CHECK(f.app.state().step == 1);
  f.screen.click("step/previous");
  CHECK(f.app.state().step == 0);
  f.screen.click("step/last");
  CHECK(f.app.state().step == f.app.last_step());
  f.screen.click("step/slider", 0.5f);
  CHECK(f.app.state().step == doctest::Approx(f.app.last_step() / 2).epsilon(0.05));
  f.screen.click("step/play");
  CHECK(f.app.playing());
  f.screen.click("step/play");
  CHECK_FALSE(f.app.playing());
  const double speed = f.app.state().steps_per_second;
  f.screen.click("step/speed");
  CHECK(f.app.state().steps_per_second != speed);
}

TEST_CASE("clicking a value types one; a click elsewhere takes what was typed") {
  TiledWindow f;
  f.screen.click("value/n");
  REQUIRE(f.app.typing.has_value());
  for (char c : {'9', '6'}) f.app.type_character(char32_t(c));
  f.screen.click("step/first");
  CHECK_FALSE(f.app.typing.has_value());
  CHECK(std::get<std::int64_t>(f.app.state().params.at("n")) == 96);
}

TEST_CASE("Tab goes through the controls; a focused slider takes the arrows, and the step stays") {
  TiledWindow f;
  const int step = f.app.state().step;
  for (int i = 0; i < 100 && f.screen.interaction().focus() != "slider/n"; ++i) {
    f.screen.interaction().move_focus(1);
    f.screen.frame();
  }
  REQUIRE(f.screen.interaction().focus() == "slider/n");
  f.app.on_key({Key::right, 0, false, false});
  CHECK(std::get<std::int64_t>(f.app.state().params.at("n")) == 129);
  f.app.on_key({Key::left, 0, false, false});
  CHECK(std::get<std::int64_t>(f.app.state().params.at("n")) == 128);
  CHECK(f.app.state().step == step);
  f.screen.interaction().move_focus(1);
  f.screen.interaction().move_focus(-1);
  CHECK(f.screen.interaction().focus() == "slider/n");
}

TEST_CASE("arrows move a slider whose places are choices from one to the next, and stop at its ends") {
  FakeRunner runner;
  AppState state;
  state.lab = "scheduler";
  App app(state, &runner);
  Screen screen(app, 1600, 900);
  const auto warps = [&] { return std::get<std::int64_t>(app.state().params.at("warps")); };
  const auto press = [&](Key key, int times) {
    for (int i = 0; i < times; ++i) app.on_key({key, 0, false, false}), screen.frame();
  };
  for (int i = 0; i < 100 && screen.interaction().focus() != "slider/warps"; ++i) {
    screen.interaction().move_focus(1);
    screen.frame();
  }
  REQUIRE(screen.interaction().focus() == "slider/warps");
  REQUIRE(warps() == 32);
  press(Key::right, 1);
  CHECK(warps() == 36);
  press(Key::left, 2);
  CHECK(warps() == 28);
  press(Key::right, 50);
  CHECK(warps() == 64);
  press(Key::left, 50);
  CHECK(warps() == 1);
}

TEST_CASE("Enter presses what has the focus") {
  TiledWindow f;
  while (f.screen.interaction().focus() != "rung/padded") f.screen.interaction().move_focus(1);
  f.screen.interaction().activate_focused();
  f.screen.frame();
  CHECK(f.app.state().rung == "padded");
}

TEST_CASE("the wheel scrolls a tab that does not fit its card, wherever the pointer is in it") {
  TiledWindow f(1280, 250);
  f.screen.click("tab/numbers");
  const Rect column = f.screen.area("right");
  for (float y = column.y + 5; y < column.bottom(); y += 10) {
    CAPTURE(y);
    f.app.right_scroll = 0;
    f.screen.frame();
    f.screen.wheel({column.center().x, y}, -2);
    CHECK(f.app.right_scroll > 0);
  }
  f.screen.wheel(column.center(), -1000);
  const float most = f.app.right_scroll;
  f.screen.wheel(column.center(), -1);
  CHECK(f.app.right_scroll == most);
}

TEST_CASE("the splitters make the columns wider, within limits, and the settings keep it") {
  TiledWindow f;
  const auto drag = [&](const char* id, float by) {
    const Vec2 at = f.screen.area(id).center();
    f.screen.move(at), f.screen.press(true), f.screen.move({at.x + by, at.y}), f.screen.press(false);
  };
  drag("splitter/rail", 40);
  CHECK(f.app.settings().rail_width == doctest::Approx(216).epsilon(0.02));
  drag("splitter/right", 60);
  CHECK(f.app.settings().lesson_width == doctest::Approx(630).epsilon(0.02));
  drag("splitter/rail", -1000);
  CHECK(f.app.settings().rail_width == 150);
}

TEST_CASE("every splitter moves by the arrows where it has the keyboard") {
  TiledWindow f;
  const auto press = [&](const char* id, Key key) {
    f.screen.interaction().set_focus(id);
    f.screen.frame();
    f.app.on_key({key, 0, false, false});
    f.screen.frame();
  };
  const float rail = f.screen.area("rail").w, code = f.screen.area("code").h;
  const int step = f.app.state().step;
  press("splitter/rail", Key::right);
  CHECK(f.screen.area("rail").w > rail);
  press("splitter/right", Key::left);
  CHECK(f.app.settings().lesson_width > Settings{}.lesson_width);
  press("splitter/card", Key::up);
  CHECK(f.screen.area("code").h > code);
  press("splitter/card", Key::down), press("splitter/card", Key::down);
  CHECK(f.screen.area("code").h < code);
  CHECK(f.app.state().step == step);
}

TEST_CASE("the line between card and kernel moves both, and the settings keep it and the folded card") {
  TiledWindow f;
  const Rect before = f.screen.area("splitter/card");
  f.screen.move(before.center()), f.screen.press(true);
  f.screen.move({before.center().x, before.center().y + 120}), f.screen.press(false);
  f.screen.frame();
  CHECK(f.screen.area("splitter/card").y == doctest::Approx(before.y + 120).epsilon(0.02));
  CHECK(f.app.settings().card_share > 0);
  f.screen.click("tab/settings");  // the shown one: folds
  CHECK(f.app.settings().card_folded);
  const Settings kept = f.app.settings();
  App again(f.app.state(), nullptr, kept);
  CHECK(again.settings().card_share == kept.card_share);
  CHECK(again.settings().card_folded);
}

TEST_CASE("hovering an element tells who wrote it; clicking pins it, Escape lets it go") {
  TiledWindow f;
  f.screen.click("stage/in/cells");
  REQUIRE(f.app.state().pinned.has_value());
  f.app.on_key({Key::escape, 0, false, false});
  CHECK_FALSE(f.app.state().pinned.has_value());
}

TEST_CASE("the followed block has buttons to its neighbours, and they end at the grid's ends") {
  TiledWindow f;
  f.screen.click("block/more");
  CHECK(f.app.state().block == 1);
  wait(f.app);
  CHECK(f.runner.started.back().block == 1);
  f.runner.answer(emulated("tiled", 128));
  wait(f.app);
  f.screen.frame();
  f.screen.click("block/less");
  CHECK(f.app.state().block == 0);
  CHECK_FALSE(f.screen.has("block/less"));
}

TEST_CASE("a press and a release outside of what was pressed does nothing") {
  TiledWindow f;
  f.screen.move(f.screen.area("rung/padded").center());
  f.screen.press(true);
  f.screen.move({700, 500});
  f.screen.press(false);
  CHECK(f.app.state().rung == "tiled");
}

TEST_CASE("no numbers of another rung stand under this one after a run that failed") {
  TiledWindow f;
  f.screen.click("rung/padded");
  wait(f.app);
  f.runner.answer(bad_input("{0} with {1} was not recorded; the nearest recorded settings are {2}",
                            {"padded", "n=7", "n=128"}));
  wait(f.app);
  CHECK(f.app.banner.has_value());
  CHECK(f.app.run() == nullptr);
  f.screen.frame();
  f.screen.click("banner/close");
  CHECK_FALSE(f.app.banner.has_value());
}

TEST_CASE("where the stage would become too small the rail folds, and still works") {
  float wide = 0;
  {
    TiledWindow f(1440, 810);
    wide = f.screen.area("rail").w;
  }
  TiledWindow f(1280, 720);
  CHECK(f.screen.area("rail").w < wide / 2);
  CHECK_FALSE(f.screen.has("splitter/rail"));
  f.screen.click("switch/projector");
  CHECK(f.app.state().projector);
}

TEST_CASE("another warp: the same access, a step further or back") {
  TiledWindow f;
  const auto key = [&] { return f.app.scene()->axis().key(f.app.state().step); };
  StepKey wanted = key();
  ++wanted.warp;
  f.screen.click("warp/more");
  CHECK(key() == wanted);
  f.app.on_key({Key::up, 0, false, false});
  CHECK(key().warp == wanted.warp - 1);
  f.app.on_key({Key::down, 0, false, false});
  CHECK(key() == wanted);
  CHECK(f.app.back());
}

TEST_CASE("a small window and a huge one draw") {
  for (const auto& [w, h] : {std::pair{640.f, 480.f}, {320.f, 240.f}, {7680.f, 4320.f}}) {
    TiledWindow f(w, h);
    CHECK(f.screen.vertices() > 500);
  }
}

TEST_CASE("a rung that the chosen GPU is too old for cannot be clicked") {
  struct OldGpu : FakeRunner {
    std::vector<Runner::EngineState> engines() override {
      return {{EngineKind::cuda, true, {"an old GPU", {}}, "GTX 1080", 61}};
    }
  } runner;
  App app(state_of("tiled", 128), &runner);
  app.show(emulated("tiled", 128));
  Screen screen(app, 1600, 900);
  app.choose_engine(EngineKind::cuda);
  screen.frame();
  screen.click("rung/padded");
  CHECK(app.state().rung == "tiled");
  app.choose_engine(EngineKind::emulator);
  screen.frame();
  screen.click("rung/padded");
  CHECK(app.state().rung == "padded");
}

TEST_CASE("wherever Tab goes, the control with the keyboard is in view, in a large window and a small one") {
  for (const float width : {1600.f, 1280.f}) {
    TiledWindow f(width, 720);
    f.screen.frame();
    const std::size_t stops = f.screen.interaction().stops().size();
    REQUIRE(stops > 20);
    std::set<std::string> reached;
    for (std::size_t i = 0; i < stops; ++i) {
      f.screen.interaction().move_focus(1);
      f.screen.frame(), f.screen.frame();
      const std::string& id = f.screen.interaction().focus();
      CAPTURE(id);
      reached.insert(id);
      for (const auto& area : f.screen.interaction().areas())
        if (area.id == id) {
          CHECK(area.rect.w == doctest::Approx(area.whole.w));
          CHECK(area.rect.h == doctest::Approx(area.whole.h));
          CHECK(area.rect.bottom() <= 720);
        }
    }
    CHECK(reached.size() == stops);
  }
}

TEST_CASE(
    "a control that is scrolled out of sight comes back when Tab reaches it, and the wheel stays free") {
  TiledWindow f(1280, 290);
  f.screen.wheel(f.screen.area("right").center(), -1000);
  REQUIRE(f.app.right_scroll > 0);
  f.screen.interaction().set_focus("slider/n");
  f.screen.frame();
  f.screen.frame();
  CHECK(f.screen.area("slider/n").y >= f.screen.area("right").y);
  CHECK(f.screen.area("slider/n").h > 20);
  f.screen.wheel(f.screen.area("right").center(), -1000);
  CHECK(f.screen.area("slider/n").h < 20);
}

TEST_CASE("behind an open list nothing can be reached by Tab") {
  TiledWindow f;
  f.screen.click("engine");
  for (int i = 0; i < 10; ++i) {
    f.screen.interaction().move_focus(1);
    CHECK(f.screen.interaction().focus().starts_with("engine/"));
  }
}

static std::optional<SvgCanvas::DrawnText> first_shortened_on_stage(App& app, float width, float height) {
  SvgCanvas canvas(width, height, {});
  draw_app(canvas, app, {0, 0, width, height});
  const Rect stage = lay_out(app, {0, 0, width, height}).stage;
  for (const auto& text : canvas.texts())
    if (text.text.ends_with("…") && stage.contains(text.rect.center())) return text;
  return {};
}

TEST_CASE("what was shortened tells the whole under the pointer, and takes no click from what it stands on") {
  TiledWindow f(1000, 640);
  f.app.compare(emulated("padded", 128));
  f.screen.frame();
  const auto shortened = first_shortened_on_stage(f.app, 1000, 640);
  REQUIRE(shortened.has_value());
  const std::string begin = shortened->text.substr(0, shortened->text.size() - std::string("…").size());
  f.screen.move(shortened->rect.center());
  CHECK(f.screen.tooltip().starts_with(begin));
  CHECK(f.screen.tooltip().size() > begin.size());
  f.app.open_menu(MenuKind::scene);
  f.screen.frame();
  CHECK(f.screen.tooltip() == "");  // the menu lies above it
}

TEST_CASE("C opens the list of rungs; a click, or arrows and Enter, choose; C and Escape leave") {
  TiledWindow f;
  f.screen.click("compare");
  REQUIRE(f.app.menu.kind == MenuKind::compare);
  f.screen.frame();
  CHECK_FALSE(f.screen.has("menu/rung/tiled"));
  f.screen.click("menu/rung/padded");
  CHECK(f.app.state().compare == "padded");
  f.app.on_key({Key::character, 'C', false, false});
  CHECK_FALSE(f.app.comparing());
  f.app.on_key({Key::character, 'C', false, false});
  f.app.on_key({Key::down, 0, false, false});
  f.app.on_key({Key::enter, 0, false, false});
  CHECK(f.app.state().compare == "padded");  // after naive, which this rung was made of
  f.app.cancel();
  f.app.on_key({Key::escape, 0, false, false});
  CHECK_FALSE(f.app.comparing());
  CHECK(f.app.back());
  CHECK(f.app.state().compare == "padded");
}

TEST_CASE("a click beside a menu closes it and does nothing else") {
  TiledWindow f;
  f.screen.click("switch/scene");
  REQUIRE(f.screen.has("menu/copy"));
  f.screen.move(f.screen.area("rung/padded").center());
  f.screen.press(true), f.screen.press(false);
  CHECK(f.app.menu.kind == MenuKind::none);
  CHECK(f.app.state().rung == "tiled");
  f.screen.click("switch/scene");
  f.screen.frame();
  f.screen.click("menu/copy");
  CHECK(f.app.to_clipboard.has_value());
}

TEST_CASE("every menu fits the window, at every size and in projector mode, whatever row is chosen") {
  for (const auto& [w, h] : {std::pair{1280.f, 720.f}, {1920.f, 1080.f}, {640.f, 480.f}})
    for (const bool projector : {false, true})
      for (const MenuKind kind : {MenuKind::compare, MenuKind::scene, MenuKind::find, MenuKind::save,
                                  MenuKind::open, MenuKind::open_beside}) {
        TiledWindow f(w, h);
        f.app.set_projector(projector);
        f.app.open_menu(kind);
        const auto rows = menu_rows(f.app);
        for (int row = 0; row < int(rows.size()); ++row) {
          f.app.menu.row = row;
          f.screen.frame();
          const Rect box = f.screen.area("menu");
          CHECK(box.right() <= w);
          CHECK(box.bottom() <= h);
          CHECK(f.screen.has("menu/" + rows[std::size_t(row)].id));
        }
      }
}

TEST_CASE(
    "a click on a sum of another block follows that block, and pins it; a warp is chosen by its buttons") {
  FakeRunner runner;
  AppState state;
  state.lab = "gemm", state.rung = "async",
  state.params = *complete_params(find_lab("gemm")->info(), "async", {{"m", Value{std::int64_t(96)}}});
  App app(state, &runner);
  app.show(emulated_run("gemm", "async", state.params));
  Screen screen(app, 1600, 900);
  screen.click("stage/product/c", 0.25f);  // in the middle of its three rows of blocks: block (0, 1)
  CHECK(app.state().block == 2);
  REQUIRE(app.state().pinned);
  CHECK(app.state().pinned->first == 2);
  screen.click("stage/product/a", 0.25f);
  CHECK(screen.tooltip().find("a[") == 0);
  const int step = app.state().step;
  app.follow(0), app.pin({});
  screen.frame();
  screen.click("warp/more");
  CHECK(app.state().warp == 1);
  app.follow_warp(2);  // the block has two
  CHECK(app.state().warp == 1);
  CHECK(app.state().step == step);
  app.on_key({Key::up, 0, false, false});
  CHECK(app.state().warp == 0);
  app.on_key({Key::down, 0, false, false});
  CHECK(app.state().warp == 1);
}
