// A line of text that is edited, and its field.
#include <doctest/doctest.h>

#include <random>

#include "app/draw/canvas_svg.hpp"
#include "app/draw/text_field.hpp"

using namespace lockstep;
using Move = TextEdit::Move;

namespace {

const Theme& theme() { return light_theme(); }

void type(TextEdit& edit, std::u32string_view text) {
  for (const char32_t c : text) edit.type(c);
}

// What stands in a field of this width, and the same with a pointer on it.
SvgCanvas draw(TextEdit& edit, float width, const FieldLook& look = {}) {
  SvgCanvas canvas(800, 100, theme().ground);
  draw_text_field(canvas, theme(), "field", {10, 10, width, 26}, edit, look);
  return canvas;
}

float x_of(const TextEdit& edit, int position) {
  const SvgCanvas canvas(10, 10, theme().ground);
  return canvas.measure(edit.text_before(position), {Font::words, 12.5f, theme().ink});
}

}  // namespace

TEST_CASE("what stands in a field that opens is a proposal: the first character replaces it") {
  TextEdit edit("lockstep.json");
  CHECK(edit.selected() == "lockstep.json");
  edit.type(U'a');
  CHECK(edit.text() == "a");
  TextEdit kept("lockstep.json");
  kept.move(Move::end, false);
  kept.type(U'5');
  CHECK(kept.text() == "lockstep.json5");
}

TEST_CASE("the caret moves by characters, not by bytes") {
  TextEdit edit("");
  type(edit, U"a转置é");
  CHECK(edit.length() == 4);
  edit.move(Move::left, false), edit.move(Move::left, false);
  CHECK(edit.caret() == 2);
  CHECK(edit.text_before(edit.caret()) == "a转");
  edit.erase_left();
  CHECK(edit.text() == "a置é");
  edit.erase_right();
  CHECK(edit.text() == "aé");
}

TEST_CASE("words are walked part by part, Chinese character by character") {
  TextEdit edit("shared/run_2.npz  转置");
  edit.move(Move::begin, false);
  std::vector<int> stops;
  for (int last = -1; last != edit.caret(); edit.move(Move::word_right, false)) {
    last = edit.caret();
    stops.push_back(last);
  }
  CHECK(stops == std::vector<int>{0, 6, 7, 12, 13, 18, 19, 20});
  edit.erase_left(true);
  CHECK(edit.text() == "shared/run_2.npz  转");
  edit.move(Move::begin, false);
  edit.erase_right(true);
  CHECK(edit.text() == "/run_2.npz  转");
}

TEST_CASE("shift selects; a selection is cut, copied and replaced by what is pasted") {
  TextEdit edit("128 rows");
  edit.move(Move::begin, false);
  for (int i = 0; i < 3; ++i) edit.move(Move::right, true);
  CHECK(edit.selected() == "128");
  CHECK(edit.cut() == "128");
  CHECK(edit.text() == " rows");
  edit.paste("64");
  CHECK(edit.text() == "64 rows");
  edit.select_word(4);
  CHECK(edit.selected() == "rows");
  edit.paste("列");
  CHECK(edit.text() == "64 列");
  edit.move(Move::left, false);
  edit.move(Move::end, true);
  CHECK(edit.selected() == "列");
}

TEST_CASE("every change can be taken back, and done again") {
  TextEdit edit("");
  type(edit, U"n = 转");
  edit.select_all();
  edit.paste("m");
  edit.undo(), edit.undo();
  CHECK(edit.text() == "n = 转");
  for (int i = 0; i < 5; ++i) edit.undo();
  CHECK(edit.text() == "");
  edit.undo();
  for (int i = 0; i < 20; ++i) edit.redo();
  CHECK(edit.text() == "m");
}

TEST_CASE("control characters and damaged bytes do not get in, and the length has an end") {
  TextEdit edit("", 8);
  for (const char32_t c : {U'\n', U'\t', char32_t(127), char32_t(0x85), char32_t(0xd800), char32_t(0x110000)})
    edit.type(c);
  CHECK(edit.text() == "");
  edit.paste("a\r\nb\tc\x1b");
  CHECK(edit.text() == "abc");
  edit.paste("0123456789");
  CHECK(edit.text() == "abc01234");
  edit.type(U'x');
  CHECK(edit.text() == "abc01234");
  edit.select_all();
  edit.paste("0123456789");
  CHECK(edit.text() == "01234567");
}

TEST_CASE("ten thousand random edits leave caret and selection inside the text") {
  std::mt19937 random(7);
  TextEdit edit("start", 40);
  for (int i = 0; i < 10000; ++i) {
    switch (random() % 12) {
      case 0:
        edit.move(Move(random() % 6), random() % 2);
        break;
      case 1:
        edit.place(int(random() % 60) - 10, random() % 2);
        break;
      case 2:
        edit.select_word(int(random() % 60) - 10);
        break;
      case 3:
        edit.erase_left(random() % 2);
        break;
      case 4:
        edit.erase_right(random() % 2);
        break;
      case 5:
        edit.undo();
        break;
      case 6:
        edit.redo();
        break;
      case 7:
        edit.cut();
        break;
      case 8:
        edit.paste("漢字 and words");
        break;
      default:
        edit.type(random() % 3 ? U'a' + random() % 26 : U'\u8f6c');
        break;
    }
    REQUIRE(edit.caret() >= 0);
    REQUIRE(edit.caret() <= edit.length());
    REQUIRE(edit.selection().first >= 0);
    REQUIRE(edit.selection().last <= edit.length());
    REQUIRE(edit.length() <= 40);
  }
}

TEST_CASE("a copy is edited on its own") {
  TextEdit edit("abc"), copy = edit;
  copy.type(U'x');
  CHECK(edit.text() == "abc");
  CHECK(copy.text() == "x");
  copy.undo(), copy.undo();
  CHECK(copy.text() == "abc");
}

TEST_CASE("a press puts the caret between the two characters that it is nearest to, dragging selects") {
  TextEdit edit("wide 转置 text");
  SvgCanvas before = draw(edit, 300);
  for (int position = 0; position <= edit.length(); ++position) {
    const float x = 10 + 8 + x_of(edit, position);
    SvgCanvas pressed(800, 100, theme().ground);
    pressed.put_pointer({.at = {x + 0.5f, 23}, .clicked = true, .held = true}, before.hits());
    draw_text_field(pressed, theme(), "field", {10, 10, 300, 26}, edit);
    CHECK(edit.caret() == position);
  }
}

TEST_CASE("text longer than its field moves so that the caret is in sight, in whole characters") {
  TextEdit edit("");
  type(edit, U"/a/very/long/path/转置/that/does/not/fit/into/the/field/at/all.json");
  const auto shown = [&] { return draw(edit, 120).texts().at(0); };
  for (int i = 0; i <= edit.length(); ++i) {
    const auto text = shown();
    const float caret = 18 - edit.scroll_px + x_of(edit, edit.caret());
    CHECK(caret >= 17.9f);
    CHECK(caret <= 122.1f);
    CHECK(edit.text().find(text.text) != std::string::npos);
    CHECK(text.rect.x >= text.clip.x);
    CHECK(text.rect.right() <= text.clip.right() + 0.6f);
    edit.move(Move::left, false);
  }
  CHECK(shown().text.starts_with("/a/very/"));
  CHECK(shown().rect.x == doctest::Approx(18));
  edit.move(Move::end, false);
  CHECK(shown().text.ends_with("all.json"));
  const float scrolled = edit.scroll_px;
  edit.move(Move::left, false), shown();
  CHECK(edit.scroll_px == scrolled);  // the caret moved inside the field
}

TEST_CASE("the reason stands under the field as high as it was said to be") {
  const SvgCanvas measured(10, 10, theme().ground);
  const char* why = "n = 9999 is not possible: n takes 32 to 4096, multiples of 32";
  CHECK(field_error_height(measured, theme(), "", 100) == 0);
  const float narrow = field_error_height(measured, theme(), why, 100);
  CHECK(narrow > field_error_height(measured, theme(), why, 400));
  SvgCanvas canvas(800, 200, theme().ground);
  draw_field_error(canvas, theme(), why, {0, 0, 100, narrow});
  CHECK(canvas.texts().size() > 3);
  for (const auto& text : canvas.texts()) CHECK(text.rect.bottom() <= narrow + 2);
}
