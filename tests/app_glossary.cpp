// Words are explained where they stand: by the pointer, by the keyboard, in the search and in the glossary.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "app/draw/canvas_svg.hpp"
#include "app/draw/word_pictures.hpp"
#include "app/shell/views.hpp"
#include "drawn_texts.hpp"
#include "story_window.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

struct GlossaryWindow {
  explicit GlossaryWindow(Language language = Language::english)
      : app(opening_of("transpose", language), &runner) {
    tell_shipped(app);
    settle(app);
    REQUIRE(app.enter_story_scene(1));
    settle(app);
  }
  // What is drawn; with the pointer on the area of this id.
  SvgCanvas draw(const std::string& hovered = "") {
    SvgCanvas first(1600, 900, app.theme().ground);
    draw_app(first, app, {0, 0, 1600, 900});
    if (hovered.empty()) return first;
    SvgCanvas canvas(1600, 900, app.theme().ground);
    for (const auto& hit : first.hits())
      if (hit.id == hovered) canvas.put_pointer({hit.rect.center()}, first.hits());
    draw_app(canvas, app, {0, 0, 1600, 900});
    return canvas;
  }
  EngineRunner runner;
  App app;
};

std::string all_drawn(const SvgCanvas& canvas) {
  std::string all;
  for (const auto& text : canvas.texts()) all += text.text + "\n";
  return all;
}

// The beginning of a word's sentence, as long as a line has it.
std::string opening_words(const App& app, const std::string& name) {
  const Word* word = app.glossary()->named(name);
  REQUIRE(word);
  const std::string sentence = Glossary::sentence(*word);
  std::size_t end = std::min<std::size_t>(sentence.size(), 18);
  while (end < sentence.size() && (static_cast<unsigned char>(sentence[end]) & 0xc0) == 0x80) ++end;
  return sentence.substr(0, end);
}

}  // namespace

TEST_CASE("a word in a story is explained while the pointer is on it, in both languages") {
  for (const Language language : {Language::english, Language::chinese}) {
    GlossaryWindow window(language);
    const std::string says = opening_words(window.app, "sector");
    CHECK(all_drawn(window.draw()).find(says) == std::string::npos);
    const SvgCanvas hovered = window.draw("word/story/sector");
    CHECK(all_drawn(hovered).find(says) != std::string::npos);
  }
  (void)use_language(Language::english, {}).ok();
}

TEST_CASE("a word in a story is explained while it has the keyboard, and Enter opens the glossary there") {
  GlossaryWindow window;
  Keyboard keys(window.app, 1600, 900);
  keys.frame();
  keys.tab_to("word/story/sector");
  CHECK(window.app.shown_word);
  CHECK(window.app.shown_word->name == "sector");
  keys.enter();
  CHECK(window.app.menu.kind == MenuKind::words);
  CHECK(menu_rows(window.app)[std::size_t(window.app.menu.row)].word == "sector");
}

TEST_CASE("titles and the sentence on the stage explain their words, each at its first place") {
  GlossaryWindow window;
  const SvgCanvas canvas = window.draw();
  std::set<std::string> seen;
  int on_stage = 0;
  for (const auto& hit : canvas.hits()) {
    if (!hit.id.starts_with("word/")) continue;
    CAPTURE(hit.id);
    const bool wrapped = hit.id.starts_with("word/story/");  // a term over two lines has two places
    CHECK((seen.insert(hit.id).second || wrapped));
    on_stage += hit.id.starts_with("word/stage/");
  }
  CHECK(on_stage >= 3);
  const SvgCanvas hovered = window.draw("word/stage/sector");
  CHECK(all_drawn(hovered).find(opening_words(window.app, "sector")) != std::string::npos);
}

TEST_CASE("the search finds a word before what only speaks of it, and explains it beside the list") {
  GlossaryWindow window;
  window.app.open_menu(MenuKind::find);
  for (const char c : std::string("sector")) window.app.type_character(char32_t(c));
  const auto rows = menu_rows(window.app);
  REQUIRE(!rows.empty());
  CHECK(rows.front().word == "sector");
  CHECK(all_drawn(window.draw()).find(opening_words(window.app, "sector")) != std::string::npos);
  window.app.on_key({Key::enter});
  CHECK(window.app.menu.kind == MenuKind::words);
}

TEST_CASE("G opens the glossary with the words on screen first; every word can be walked to") {
  for (const Language language : {Language::english, Language::chinese}) {
    GlossaryWindow window(language);
    (void)window.draw();
    window.app.on_key({Key::character, 'G'});
    const auto rows = menu_rows(window.app);
    REQUIRE(rows.size() == window.app.glossary()->words().size());
    CHECK(!rows.front().key.empty());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      CAPTURE(rows[i].word);
      CHECK(window.app.menu.row == int(i));
      const SvgCanvas canvas = window.draw();
      std::vector<SvgCanvas::DrawnText> card;  // what lies under the list is covered by it
      Rect box;
      for (const auto& hit : canvas.hits())
        if (hit.id == "menu") box = hit.rect;
      const auto own = [&](const auto& text) { return text.rect.x > box.right(); };
      CHECK(all_drawn(canvas).find(opening_words(window.app, rows[i].word)) != std::string::npos);
      (void)own;
      window.app.on_key({Key::down});
    }
    window.app.on_key({Key::escape});
    CHECK(window.app.menu.kind == MenuKind::none);
  }
  (void)use_language(Language::english, {}).ok();
}

TEST_CASE("every picture of a word stays inside its room and is not empty, in both themes") {
  for (const Theme* theme : {&light_theme(), &dark_theme()})
    for (const std::string_view picture : word_pictures()) {
      CAPTURE(picture);
      SvgCanvas canvas(320, 130, theme->panel);
      const std::size_t before = canvas.finish().size();
      draw_word_picture(canvas, *theme, picture, "", {16, 16, 288, 96});
      CHECK(canvas.finish().size() > before + 400);
      for (const auto& text : canvas.texts()) {
        CHECK(text.rect.x >= 8);
        CHECK(text.rect.right() <= 312);
        CHECK(text.rect.bottom() <= 130);
      }
    }
}
