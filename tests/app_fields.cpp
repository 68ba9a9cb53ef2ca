// Fields, lists and settings as a reader meets them, with keyboard and pointer.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "app/draw/canvas_svg.hpp"
#include "app/shell/views.hpp"
#include "app_support.hpp"
#include "places.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

void type(App& app, std::string_view text) {
  for (const char c : text) app.type_character(char32_t(c));
}
KeyPress press(Key key, bool ctrl = false, bool shift = false) { return {key, 0, ctrl, shift}; }
KeyPress control(char c, bool shift = false) { return {Key::character, c, true, shift}; }

std::vector<std::string> texts_of(App& app, float width = 1600, float height = 900) {
  SvgCanvas canvas(width, height, app.theme().ground);
  draw_app(canvas, app, {0, 0, width, height});
  std::vector<std::string> all;
  for (const auto& text : canvas.texts()) all.push_back(text.text);
  return all;
}
bool says(const std::vector<std::string>& texts, std::string_view part) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& t) { return t.find(part) != t.npos; });
}

// Of a lab with a choice of many words.
App app_with_choices() {
  for (const Lab* lab : labs())
    for (const Parameter& p : lab->info().parameters)
      if (p.type == "choice" && p.choices.size() > kMostPills) {
        AppState state;
        state.lab = lab->info().slug, state.rung = lab->info().rungs.front().slug;
        if (!p.rungs.empty()) state.rung = p.rungs.front();
        return App(state, nullptr);
      }
  FAIL("no lab has a choice of more than six words");
  return App({}, nullptr);
}

std::string long_choice(const App& app) {
  for (const Parameter& p : app.info().parameters)
    if (p.type == "choice" && p.choices.size() > kMostPills && app.state().params.contains(p.name))
      return p.name;
  return "";
}

}  // namespace

TEST_CASE("what cannot be taken stays in its field, and the reason names the range") {
  TiledWindow f;
  for (const char* wrong : {"9", "99999999", "lots", "64.5", ""}) {
    CAPTURE(wrong);
    f.screen.click("value/n");
    f.app.on_key(control('A')), f.app.on_key(press(Key::backspace));
    type(f.app, wrong);
    f.app.on_key(press(Key::enter));
    if (std::string(wrong) == "9") continue;  // this rung takes any size
    REQUIRE(f.app.typing.has_value());
    CHECK(f.app.typing->edit.text() == wrong);
    REQUIRE(f.app.typing->wrong.has_value());
    CHECK(f.app.typing->wrong->text().find(" to ") != std::string::npos);
    CHECK(says(texts_of(f.app), "is not possible"));
    f.app.on_key(press(Key::escape));
    CHECK_FALSE(f.app.typing.has_value());
  }
}

TEST_CASE("a click elsewhere leaves a wrong value where it is, and the window's keys work again") {
  TiledWindow f;
  f.screen.click("value/n");
  type(f.app, "lots");
  f.screen.click("step/first");
  REQUIRE(f.app.typing.has_value());
  CHECK(f.app.typing->edit.text() == "lots");
  CHECK_FALSE(f.app.takes_keys());
  CHECK(f.app.state().step == 0);
  f.app.on_key(press(Key::right));
  CHECK(f.app.state().step == 1);
  f.screen.frame();
  f.screen.click("value/n");
  CHECK(f.app.takes_text());
  f.app.on_key(control('A'));
  type(f.app, "96");
  f.app.on_key(press(Key::enter));
  CHECK_FALSE(f.app.typing.has_value());
  CHECK(std::get<std::int64_t>(f.app.state().params.at("n")) == 96);
}

TEST_CASE("no key of the window does anything while a field has the keyboard") {
  TiledWindow f;
  for (const bool list : {false, true}) {
    list ? f.app.open_menu(MenuKind::find) : f.app.begin_typing(App::Typing::Of::parameter, "n", "128");
    const AppState before = f.app.state();
    for (const char c : std::string("CRTPL[]/?123456789FM+-0.,"))
      f.app.on_key({Key::character, c, false, false}), f.app.type_character(char32_t(c));
    for (const Key key : {Key::left, Key::right, Key::home, Key::end, Key::space, Key::backspace, Key::del})
      for (const bool ctrl : {false, true}) f.app.on_key(press(key, ctrl));
    for (const char c : std::string("AZY")) f.app.on_key(control(c));
    CHECK(f.app.state() == before);
    CHECK_FALSE(f.app.help);
    CHECK_FALSE(f.app.playing());
    CHECK(f.app.takes_text());
    f.app.on_key(press(Key::escape));
  }
}

TEST_CASE("a field has the clipboard: copy, cut and paste are its own") {
  TiledWindow f;
  f.app.begin_typing(App::Typing::Of::parameter, "n", "128");
  f.app.on_key(control('C'));
  CHECK(f.app.to_clipboard == "128");
  f.app.on_key(control('X'));
  CHECK(f.app.typing->edit.text() == "");
  f.app.on_key(control('V'));
  CHECK(f.app.wants_clipboard);
  f.app.paste("64\nand more");
  CHECK(f.app.typing->edit.text() == "64");
  f.app.on_key(control('Z'));
  CHECK(f.app.typing->edit.text() == "");
}

TEST_CASE("the pointer puts the caret into an open field, and a double click selects a word") {
  TiledWindow f;
  f.screen.click("value/n");
  REQUIRE(f.app.typing.has_value());
  CHECK(f.app.typing->edit.selected() == "128");
  f.screen.click("value/n", 0.9f);
  REQUIRE(f.app.takes_text());
  CHECK(f.app.typing->edit.selection().empty());
  CHECK(f.app.typing->edit.caret() == 3);
  f.screen.click("value/n", 0.02f);
  CHECK(f.app.typing->edit.caret() == 0);
}

TEST_CASE("the caret blinks where things may move, and stands where they may not") {
  App moving(state_of("tiled"), nullptr);
  moving.open_menu(MenuKind::find);
  CHECK(moving.caret_shown());
  CHECK(moving.blink(0.6));
  CHECK_FALSE(moving.caret_shown());
  moving.type_character(U'a');
  CHECK(moving.caret_shown());
  AppState still = state_of("tiled");
  still.motion = false;
  App quiet(still, nullptr);
  quiet.open_menu(MenuKind::find);
  CHECK_FALSE(quiet.blink(0.6));
  CHECK(quiet.caret_shown());
}

TEST_CASE("the followed block and warp are typed, and what is none says which there are") {
  TiledWindow f;
  f.settle();
  f.screen.frame();
  REQUIRE(f.app.grid().blocks == 16);
  f.screen.click("value/warp");
  type(f.app, "2");
  f.app.on_key(press(Key::enter));
  CHECK(f.app.shown_warp() == 2);
  f.screen.frame();
  f.screen.click("value/block");
  type(f.app, "16");
  f.app.on_key(press(Key::enter));
  REQUIRE(f.app.typing.has_value());
  CHECK(f.app.typing->wrong->text() == "this grid has no block '16': its blocks are 0 to 15");
  f.app.on_key(control('A'));
  type(f.app, "15");
  f.app.on_key(press(Key::enter));
  CHECK_FALSE(f.app.typing.has_value());
  CHECK(f.app.state().block == 15);
}

TEST_CASE("many choices are a list that is typed into; arrows step through it closed") {
  App app = app_with_choices();
  const std::string name = long_choice(app);
  const auto choices = [&] {
    app.menu.edit = TextEdit("");
    return menu_rows(app);
  };
  app.open_choices(name);
  REQUIRE(app.menu.kind == MenuKind::choice);
  const std::string now = to_string(app.state().params.at(name));
  CHECK(menu_rows(app)[std::size_t(app.menu.row)].id == "choice/" + now);  // the list opens at the chosen one
  const auto all = choices();
  REQUIRE(all.size() > kMostPills);
  const auto value_of = [](const MenuRow& row) { return row.id.substr(row.id.find('/') + 1); };
  const std::string wanted = value_of(all.back());
  type(app, wanted);
  CHECK(menu_rows(app).size() < all.size());
  app.on_key(press(Key::enter));
  CHECK(app.menu.kind == MenuKind::none);
  CHECK(to_string(app.state().params.at(name)) == wanted);
  app.focused_parameter = name;
  app.on_key(press(Key::left));
  CHECK(to_string(app.state().params.at(name)) == value_of(all[all.size() - 2]));
}

TEST_CASE("no choice is shown by a number in place of its name") {
  for (const Lab* lab : labs())
    for (const RungInfo& rung : lab->info().rungs) {
      AppState state;
      state.lab = lab->info().slug, state.rung = rung.slug;
      App app(state, nullptr);
      app.settings().lesson_width = 330;  // as narrow as a card becomes
      SvgCanvas canvas(1280, 720, app.theme().ground);
      draw_app(canvas, app, {0, 0, 1280, 720});
      for (const Parameter& p : app.info().parameters) {
        if (has_slider(p) || p.type == "text" || !app.state().params.contains(p.name)) continue;
        const std::string value = tr(title_of(p, to_string(app.state().params.at(p.name))));
        const auto is_its_name = [&](std::string_view text) {  // or its beginning, which has a tooltip
          constexpr std::string_view kCut = "…";
          if (!text.ends_with(kCut)) return text == value;
          text.remove_suffix(kCut.size());
          return text.size() >= 4 && value.starts_with(text);
        };
        bool whole = false;
        for (const auto& text : canvas.texts()) whole |= is_its_name(text.text);
        CAPTURE(p.name);
        CAPTURE(rung.slug);
        CHECK(whole);
      }
    }
}

TEST_CASE("a tick on a slider names the recorded setting") {
  TiledWindow f;
  f.settle();
  f.screen.frame();
  const Rect slider = f.screen.area("slider/n");
  std::set<std::string> told;
  for (float x = slider.x; x < slider.right(); x += 2) {
    f.screen.move({x, slider.center().y});
    f.screen.frame();
    told.insert(f.screen.tooltip());
  }
  CHECK(told.contains("recorded: n = 128"));
}

TEST_CASE("numbers of another setting are not shown as this one's") {
  TiledWindow f;
  f.settle();
  f.app.tab = "numbers";
  CHECK(f.app.numbers_are() == App::Numbers::current);
  CHECK_FALSE(says(texts_of(f.app), "These numbers are of"));
  f.app.set_param("n", std::int64_t(96));
  CHECK(f.app.numbers_are() == App::Numbers::under_way);
  CHECK(says(texts_of(f.app), "A run is under way. These numbers are of tiled, n = 128."));
  CHECK(says(texts_of(f.app), "A run is under way. This picture and its numbers are of tiled, n = 128."));
  f.app.tick(1);
  f.app.cancel();
  CHECK(f.app.numbers_are() == App::Numbers::of_another);
  CHECK(says(texts_of(f.app), "These numbers are of tiled, n = 128. Run (R)"));
  f.app.request_run(), f.app.tick(1);
  f.runner.answer(emulated("tiled", 96));
  f.app.tick(1);
  CHECK(f.app.numbers_are() == App::Numbers::current);
}

TEST_CASE("a number that is not there says why") {
  App app(state_of("tiled"), nullptr);
  app.show(emulated("tiled"));
  app.tab = "numbers";
  CHECK(says(texts_of(app), "needs a GPU; not recorded at this size"));
  app.tab = "occupancy";
  CHECK(says(texts_of(app), "Registers per thread are what a GPU's compiler says"));
}

namespace {

// Every press that a keyboard can make here, with its name in the help.
std::vector<std::pair<KeyPress, std::string>> all_keys() {
  std::vector<std::pair<KeyPress, std::string>> all;
  const std::pair<Key, const char*> named[] = {{Key::left, "←"},      {Key::right, "→"},    {Key::up, "↑"},
                                               {Key::down, "↓"},      {Key::home, "Home"},  {Key::end, "End"},
                                               {Key::space, "Space"}, {Key::escape, "Esc"}, {Key::f6, "F6"},
                                               {Key::f11, "F11"},     {Key::del, "Delete"}};
  for (const auto& [key, name] : named) all.push_back({press(key), name});
  for (char c = 33; c < 127; ++c)
    if (c < 'a' || c > 'z') all.push_back({{Key::character, c, false, false}, std::string(1, c)});
  for (char c = 'A'; c <= 'Z'; ++c) {
    all.push_back({control(c), std::string("Ctrl+") + c});
    all.push_back({control(c, true), std::string("Ctrl+Shift+") + c});
  }
  return all;
}

// "1 … 9" stands for all between, "Ctrl+arrows" for four.
std::set<std::string> keys_in_help(const App& app) {
  std::set<std::string> keys;
  for (const KeyHelp& row : key_help(app)) {
    std::istringstream words(row.keys);
    for (std::string word; words >> word;) keys.insert(word == "−" ? "-" : word);
  }
  for (char c = '2'; c < '9'; ++c) keys.insert(std::string(1, c));
  keys.insert({"=", "Ctrl+Shift+Z"});  // the key of +; Ctrl+Y's other name
  return keys;
}

}  // namespace

TEST_CASE("the help lists every key that the window answers") {
  for (const bool timeline : {false, true})
    for (const auto& [key, name] : all_keys()) {
      FakeRunner runner;
      App app(state_of("tiled"), &runner);
      app.show(emulated("tiled"));
      app.go_to(20), app.go_to(10);
      app.has_timeline = timeline;
      KeyPress plain = key;
      const bool lists_shift = name.starts_with("Ctrl+Shift+");
      if (!app.on_key(plain)) continue;
      const std::string pressed = name;
      CAPTURE(pressed);
      CHECK((keys_in_help(app).contains(name) ||
             (lists_shift && keys_in_help(app).contains("Ctrl+" + name.substr(11)))));
    }
}

TEST_CASE("the help lists the keys of a field") {
  for (const auto& [key, name] : all_keys()) {
    App app(state_of("tiled"), nullptr);
    app.begin_typing(App::Typing::Of::parameter, "n", "128");
    app.typing->edit.place(1, false), app.typing->edit.place(2, true);
    const auto state = [&] {
      const auto selection = app.typing->edit.selection();
      return std::tuple(app.typing->edit.text(), selection.first, selection.last, app.to_clipboard,
                        app.wants_clipboard);
    };
    const auto before = state();
    app.on_key(key);
    if (!app.typing || state() == before) continue;
    const std::string pressed = name;
    CAPTURE(pressed);
    CHECK(keys_in_help(app).contains(name.starts_with("Ctrl+Shift+") ? "Ctrl+" + name.substr(11) : name));
  }
}

namespace {

// Through all controls by Tab: each has the focus where it can be seen, as far as its area has room.
void walk_controls(Screen& screen) {
  const std::size_t stops = screen.interaction().stops().size();
  std::set<std::string> reached;
  for (std::size_t i = 0; i < stops + 4; ++i) {
    screen.interaction().move_focus(1);
    screen.frame(), screen.frame();
    const std::string focus = screen.interaction().focus();
    REQUIRE(focus != "");
    reached.insert(focus);
    const auto& areas = screen.interaction().areas();
    const auto at = std::find_if(areas.begin(), areas.end(), [&](const auto& a) { return a.id == focus; });
    REQUIRE(at != areas.end());
    CAPTURE(focus);
    CHECK(at->rect.w >= std::min(at->whole.w, at->clip.w) - 1);
    CHECK(at->rect.h >= std::min(at->whole.h, at->clip.h) - 1);
  }
  CHECK(stops > 10);
  CHECK(reached.size() >= stops);
}

// The card's tabs of this lab.
std::vector<std::string> tabs_on(Screen& screen) {
  std::vector<std::string> tabs;
  for (const auto& area : screen.interaction().areas())
    if (area.id.starts_with("tab/")) tabs.push_back(area.id.substr(4));
  return tabs;
}

}  // namespace

TEST_CASE("Tab comes to every control of every lab and tab, and what it comes to is in sight" *
          doctest::test_suite("slow")) {
  for (const Lab* lab : labs()) {
    const std::string& rung = lab->info().rungs.back().slug;
    AppState state;
    state.lab = lab->info().slug, state.rung = rung, state.params = *complete_params(lab->info(), rung, {});
    FakeRunner runner;
    App app(state, &runner);
    app.tell_stories({in_source("assets/stories")});
    app.show(emulated_run(state.lab, rung, state.params));
    const bool wide = lab == labs().front();
    Screen screen(app, wide ? 1600 : 1280, wide ? 900 : 720);
    for (const std::string& tab : tabs_on(screen)) {
      CAPTURE(lab->info().slug);
      CAPTURE(tab);
      app.tab = tab, screen.frame();
      walk_controls(screen);
    }
  }
}
