// Find: what is typed, and what is chosen.
#include <doctest/doctest.h>

#include <algorithm>

#include "app/shell/find.hpp"
#include "app_support.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

void type(App& app, std::u32string_view text) {
  for (const char32_t c : text) app.type_character(c);
}

KeyPress key_press_of(Key key) { return {key, 0, false, false}; }
const KeyPress kSlash{Key::character, '/', false, false};

}  // namespace

TEST_CASE("labs, rungs and parameters are found by slug, idea, question and help, in either language") {
  const auto first = [](std::string_view query) {
    const auto found = find_in_labs(query);
    REQUIRE(found.size() > 0);
    return found.front().lab + "/" + found.front().rung + "/" + found.front().parameter;
  };
  CHECK(first("transpose") == "transpose//");
  CHECK(first("PADD") == "banks/padded/");
  CHECK(first("vectorized") == "transpose/vectorized/");
  CHECK(first("xor column") == "banks/swizzled/");  // words of its idea, in any order
  CHECK(first("wasting a byte") == "transpose//");  // its question
  CHECK(first("转置") == "transpose//");
  CHECK(find_in_labs("no such thing anywhere").empty());
  const auto parameters = find_in_labs("parameter");
  CHECK(find_in_labs("").size() >= 8);  // one lab, its rungs and its parameter
  CHECK(parameters.size() < find_in_labs("").size());
}

TEST_CASE("the slash opens the field, the list narrows as one types, Enter goes there, Escape leaves") {
  FakeRunner runner;
  App app(state_of("tiled"), &runner);
  app.on_key(kSlash);
  REQUIRE(app.menu.kind == MenuKind::find);
  const auto all = menu_rows(app).size();
  type(app, U"swiz");
  CHECK(menu_rows(app).size() < all);
  app.on_key(key_press_of(Key::enter));
  CHECK(app.state().rung == "swizzled");
  CHECK(app.menu.kind == MenuKind::none);
  app.on_key(kSlash);
  type(app, U"copy");
  app.on_key(key_press_of(Key::escape));
  CHECK(app.menu.kind == MenuKind::none);
  CHECK(app.state().rung == "swizzled");
}

TEST_CASE("a parameter that was found gets the keyboard") {
  FakeRunner runner;
  App app(state_of("tiled"), &runner);
  app.on_key(kSlash);
  const auto rows = menu_rows(app);
  const auto row =
      std::find_if(rows.begin(), rows.end(), [](const MenuRow& r) { return r.id == "found/transpose//n"; });
  REQUIRE(row != rows.end());
  app.menu.row = int(row - rows.begin());
  app.on_key(key_press_of(Key::enter));
  CHECK(app.wanted_focus == "slider/n");
}

TEST_CASE("arrows go round the list, Backspace takes a whole character, keys of the window write") {
  App app(state_of("tiled"), nullptr);
  app.on_key(kSlash);
  const int count = int(menu_rows(app).size());
  app.on_key(key_press_of(Key::up));
  CHECK(app.menu.row == count - 1);
  app.on_key(key_press_of(Key::down));
  CHECK(app.menu.row == 0);
  type(app, U"t转置");
  CHECK(app.menu.text() == "t转置");
  app.on_key(key_press_of(Key::backspace));
  CHECK(app.menu.text() == "t转");
  app.on_key(key_press_of(Key::backspace));
  app.on_key(key_press_of(Key::space));  // its character event writes it
  CHECK_FALSE(app.playing());
  CHECK(app.menu.text() == "t");
}

TEST_CASE("the question mark is still help") {
  App app(state_of("tiled"), nullptr);
  app.on_key({Key::character, '?', false, false});
  CHECK(app.help);
  CHECK(app.menu.kind == MenuKind::none);
}
