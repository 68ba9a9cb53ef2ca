#include "canvas.hpp"

#include <algorithm>

#include "text_metrics.hpp"

namespace lockstep {

Color mix(Color a, Color b, float t) {
  const auto channel = [t](std::uint8_t x, std::uint8_t y) {
    return std::uint8_t(float(x) + (float(y) - float(x)) * t + 0.5f);
  };
  return {channel(a.r, b.r), channel(a.g, b.g), channel(a.b, b.b), channel(a.a, b.a)};
}

float Canvas::measure(std::string_view utf8, const TextStyle& style) const {
  return text_width(utf8, style.font, in_scale(style).size);
}

TextStyle Canvas::in_scale(TextStyle style) const {
  constexpr float kEnough = 0.9f;  // of the size asked for
  for (const float size : type_scale_)
    if (size >= kEnough * style.size || size == type_scale_.back()) {
      style.size = size;
      break;
    }
  return style;
}

namespace {

constexpr std::string_view kEllipsis = "…";

// The first character of a text that is not empty, as its bytes.
std::string_view first_character(std::string_view text) {
  std::string_view rest = text;
  take_code_point(rest);
  return text.substr(0, text.size() - rest.size());
}

// U+3000 and above: a line may break beside any of them.
bool is_cjk(std::string_view character) {
  return character.size() >= 3 && static_cast<unsigned char>(character[0]) >= 0xe3;
}
bool is_one_of(std::string_view marks, std::string_view character) {
  return character.size() == 3 && marks.find(character) != marks.npos;
}

// The longest prefix that fits with an ellipsis behind it.
std::string shortened(const Canvas& canvas, std::string_view text, const TextStyle& style, float width) {
  const float room = width - canvas.measure(kEllipsis, style);
  std::size_t end = 0;
  float used = 0;
  while (end < text.size()) {
    const std::string_view character = first_character(text.substr(end));
    used += canvas.measure(character, style);
    if (used > room) break;
    end += character.size();
  }
  std::string out(text.substr(0, end));
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out += kEllipsis;
}

// Where a line of at most `width` may end: behind a space, between CJK characters, or anywhere if nothing
// else fits. CJK closing punctuation does not begin a line, opening punctuation does not end one. A space at
// the end of a line needs no room.
std::size_t line_end(const Canvas& canvas, std::string_view text, const TextStyle& style, float width) {
  constexpr std::string_view closing = "，。；：、！？）」』》”…", opening = "（「『《“";
  std::size_t end = 0, best = 0;
  float used = 0;
  std::string_view before;
  while (end < text.size()) {
    const std::string_view character = first_character(text.substr(end));
    if (character == "\n") return end;
    const bool beside_cjk = is_cjk(character) || is_cjk(before);
    if (end > 0 && beside_cjk && !is_one_of(closing, character) && !is_one_of(opening, before)) best = end;
    used += canvas.measure(character, style);
    if (used > width && end > 0 && character != " ") return best ? best : end;
    end += character.size();
    if (character == " ") best = end;
    before = character;
  }
  return end;
}

// The line of `width` that a text at `at` has.
Rect line_rect(Vec2 at, const TextStyle& style, float width) {
  const float left = style.align == Align::left     ? at.x
                     : style.align == Align::center ? at.x - width / 2
                                                    : at.x - width;
  return {left, at.y - style.size * 0.7f, width, style.size * 1.4f};
}

}  // namespace

bool Canvas::text_fit(Vec2 at, std::string_view utf8, const TextStyle& style, float width) {
  if (measure(utf8, style) <= width) {
    text(at, utf8, style);
    return false;
  }
  if (width <= 0) return true;
  text(at, shortened(*this, utf8, style, width), style);
  hint(line_rect(at, style, width), utf8);
  return true;
}

bool Canvas::text_shrunk(Vec2 at, std::string_view utf8, TextStyle style, float least, float width) {
  if (measure(utf8, style) > width) style.size = least;
  return text_fit(at, utf8, style, width);
}

float Canvas::text_brief(Vec2 at, std::string_view utf8, const TextStyle& style, float width) {
  std::string_view brief = utf8;
  while (measure(brief, style) > width) {
    std::size_t cut = std::string_view::npos;
    for (const std::string_view end : {", ", "，", "; ", "；", ": ", "：", " "})
      if (cut == std::string_view::npos) cut = brief.rfind(end);
    if (cut == std::string_view::npos || cut == 0) break;
    brief = brief.substr(0, cut);
  }
  const float w = measure(brief, style);
  if (w > width) return text_fit(at, utf8, style, width), width;
  text(at, brief, style);
  if (brief != utf8) hint(line_rect(at, style, width), utf8);
  return w;
}

namespace {

// Takes the first line of at most `width` off the front of `text`.
std::string_view take_line(const Canvas& canvas, std::string_view& text, const TextStyle& style,
                           float width) {
  std::string_view line = text.substr(0, line_end(canvas, text, style, width));
  text.remove_prefix(line.size());
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
  return line;
}

}  // namespace

int Canvas::count_lines(std::string_view utf8, const TextStyle& style, float width) const {
  int lines = 0;
  for (; !utf8.empty(); ++lines) take_line(*this, utf8, style, width);
  return lines;
}

float Canvas::text_wrap(Vec2 top_left, std::string_view utf8, const TextStyle& style, float width,
                        float line_height) {
  float y = top_left.y;
  for (; !utf8.empty(); y += line_height)
    text({top_left.x, y + line_height / 2}, take_line(*this, utf8, style, width), style);
  return y - top_left.y;
}

}  // namespace lockstep
