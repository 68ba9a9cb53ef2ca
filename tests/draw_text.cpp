// Measuring, shortening and wrapping text, without a screen.
#include <doctest/doctest.h>

#include "app/draw/canvas_svg.hpp"
#include "app/draw/text_metrics.hpp"
#include "app/draw/theme.hpp"

using namespace lockstep;

namespace {

const TextStyle kWords{Font::words, 12.5f, Color::hex(0), Align::left};

std::vector<std::string> wrapped(const std::string& text, float width) {
  SvgCanvas canvas(1000, 1000, Color::hex(0xFFFFFF));
  canvas.text_wrap({0, 0}, text, kWords, width, 18);
  std::vector<std::string> lines;
  for (const auto& drawn : canvas.texts()) lines.push_back(drawn.text);
  return lines;
}

std::string fitted(const std::string& text, float width) {
  SvgCanvas canvas(1000, 1000, Color::hex(0xFFFFFF));
  canvas.text_fit({0, 0}, text, kWords, width);
  return canvas.texts().empty() ? "" : canvas.texts()[0].text;
}

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> all;
  while (!text.empty()) all.push_back(take_code_point(text));
  return all;
}

}  // namespace

TEST_CASE("every character of the monospaced fonts is equally wide") {
  for (Font font : {Font::mono, Font::mono_semibold})
    for (const char* c : {"i", "W", "0", " ", "{", "µ"})
      CHECK(text_width(c, font, 12.5f) == doctest::Approx(text_width("m", font, 12.5f)));
}

TEST_CASE("widths add up and grow with the size: no kerning") {
  for (Font font : {Font::words, Font::words_semibold, Font::mono}) {
    CHECK(text_width("AVATAR", font, 12.5f) ==
          doctest::Approx(text_width("AVA", font, 12.5f) + text_width("TAR", font, 12.5f)));
    CHECK(text_width("warp 线程束", font, 25) == doctest::Approx(2 * text_width("warp 线程束", font, 12.5f)));
  }
  CHECK(text_width("", Font::words, 12.5f) == 0);
  CHECK(text_width("semibold", Font::words_semibold, 12.5f) > text_width("semibold", Font::words, 12.5f));
}

TEST_CASE("a Chinese character is one em wide") {
  if (font_files().cjk.empty()) return;
  CHECK(text_width("线", Font::words, 12.5f) == doctest::Approx(12.5).epsilon(0.06));
  CHECK(text_width("歧", Font::words, 12.5f) == doctest::Approx(text_width("线", Font::words, 12.5f)));
}

TEST_CASE("damaged UTF-8 becomes replacement characters, byte for byte, and never runs past the end") {
  CHECK(code_points("a线") == std::vector<char32_t>{'a', U'线'});
  CHECK(code_points("\xF0\x9F\x98\x80") == std::vector<char32_t>{0x1F600});
  CHECK(code_points("\x80"
                    "a") == std::vector<char32_t>{0xFFFD, 'a'});  // continuation without a beginning
  CHECK(code_points("\xE7\xBA") == std::vector<char32_t>{0xFFFD, 0xFFFD});  // cut off
  CHECK(code_points("\xE7\xBA"
                    "a") == std::vector<char32_t>{0xFFFD, 'a'});
  CHECK(code_points("\xC0\xAF") == std::vector<char32_t>{0xFFFD});          // "/" written too long
  CHECK(code_points("\xED\xA0\x80") == std::vector<char32_t>{0xFFFD});      // surrogate
  CHECK(code_points("\xF7\xBF\xBF\xBF") == std::vector<char32_t>{0xFFFD});  // above U+10FFFF
  CHECK(code_points("\xFF") == std::vector<char32_t>{0xFFFD});
}

TEST_CASE("text that does not fit ends in an ellipsis and stays inside its width") {
  const std::string text = "global sectors, load";
  CHECK(fitted(text, 1000) == text);
  for (float width = 15; width < 130; width += 7) {
    const std::string shown = fitted(text, width);
    CAPTURE(width);
    CHECK(text_width(shown, Font::words, 12.5f) <= width);
    if (shown != text) CHECK(shown.ends_with("…"));
  }
  CHECK(fitted("线程束读取全局内存", 60).ends_with("…"));
  CHECK(fitted(text, 0) == "");
}

TEST_CASE("text told in brief loses its last clause first, then words, and says how wide it came out") {
  const auto brief = [](const std::string& text, float width) {
    SvgCanvas canvas(1000, 1000, Color::hex(0xFFFFFF));
    const float w = canvas.text_brief({0, 0}, text, kWords, width);
    const std::string drawn = canvas.texts().at(0).text;
    CHECK(w <= width);
    if (drawn.find("…") == drawn.npos) CHECK(w == doctest::Approx(canvas.measure(drawn, kWords)));
    return drawn;
  };
  const std::string text = "data sheet, SXM; the chip is another's";
  const auto room_for = [&](const std::string& part) {
    return text_width(part, Font::words, kWords.size) + 1;
  };
  CHECK(brief(text, room_for(text)) == text);
  CHECK(brief(text, room_for(text) - 2) == "data sheet");
  CHECK(brief("sheet; the chip", room_for("sheet; the chip") - 2) == "sheet");
  CHECK(brief("data sheet", room_for("data sheet") - 2) == "data");
  CHECK(brief("数据表，芯片", room_for("数据表，芯片") - 2) == "数据表");
  CHECK(brief("datasheet", room_for("datash")).find("…") != std::string::npos);
}

TEST_CASE("words wrap at spaces, and a space at the end of a line needs no room") {
  const float three = text_width("aaa bbb ccc", Font::words, 12.5f);
  CHECK(wrapped("aaa bbb ccc ddd", three + 0.5f) == std::vector<std::string>{"aaa bbb ccc", "ddd"});
  CHECK(wrapped("one\ntwo", 500) == std::vector<std::string>{"one", "two"});
  CHECK(wrapped("", 500).empty());
}

TEST_CASE("a word that is too long for a line is cut, and every line makes progress") {
  for (const std::string& line : wrapped("incomprehensibilities", 40))
    CHECK(text_width(line, Font::words, 12.5f) <= 40);
  CHECK(wrapped("abc", 0.1f) == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("Chinese wraps anywhere, but never before closing or behind opening punctuation") {
  if (font_files().cjk.empty()) return;
  const float six = text_width("线程束读取全", Font::words, 12.5f) + 0.5f;
  CHECK(wrapped("线程束读取全局内存", six) == std::vector<std::string>{"线程束读取全", "局内存"});
  CHECK(wrapped("线程束读取全。", six) == std::vector<std::string>{"线程束读取", "全。"});
  CHECK(wrapped("线程束读取（全局）", six) == std::vector<std::string>{"线程束读取", "（全局）"});
  CHECK(wrapped("线程束shared内存", six) == std::vector<std::string>{"线程束", "shared内存"});
}

TEST_CASE("the number of lines is known before they are drawn") {
  const std::string text =
      "A sentence in plain words says what this step shows. 线程束 3 从全局内存读取，分歧处等待屏障。";
  SvgCanvas canvas(400, 400, Color::hex(0xFFFFFF));
  for (float width : {60.f, 130.f, 260.f}) {
    const float height = canvas.text_wrap({0, 0}, text, kWords, width, 18);
    CHECK(height == 18.f * float(canvas.count_lines(text, kWords, width)));
  }
}
