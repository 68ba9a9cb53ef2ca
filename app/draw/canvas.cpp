#include "canvas.hpp"

#include <algorithm>

#include "text_metrics.hpp"

namespace lockstep {

Color mix(Color a, Color b, float t) {
  const auto channel = [t](std::uint8_t x, std::uint8_t y) { return std::uint8_t(float(x) + (float(y) - float(x)) * t + 0.5f); };
  return {channel(a.r, b.r), channel(a.g, b.g), channel(a.b, b.b), channel(a.a, b.a)};
}

float Canvas::measure(std::string_view utf8, const TextStyle& style) const { return text_width(utf8, style.font, style.size); }

namespace {

constexpr std::string_view kEllipsis = "…";

// Bytes of the UTF-8 sequence that starts with c.
std::size_t sequence_length(char c) {
  const auto u = static_cast<unsigned char>(c);
  return u < 0x80 ? 1 : u < 0xe0 ? 2 : u < 0xf0 ? 3 : 4;
}

bool is_cjk(std::string_view character) { return character.size() >= 3 && static_cast<unsigned char>(character[0]) >= 0xe3; }

// The longest prefix that fits with an ellipsis behind it.
std::string shortened(const Canvas& canvas, std::string_view text, const TextStyle& style, float width) {
  const float room = width - canvas.measure(kEllipsis, style);
  std::size_t end = 0;
  float used = 0;
  while (end < text.size()) {
    const std::size_t length = std::min(sequence_length(text[end]), text.size() - end);
    used += canvas.measure(text.substr(end, length), style);
    if (used > room) break;
    end += length;
  }
  std::string out(text.substr(0, end));
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out += kEllipsis;
}

// Where a line of at most `width` may end: behind a space, between CJK characters, or anywhere if nothing else fits.
// CJK closing punctuation does not begin a line.
std::size_t line_end(const Canvas& canvas, std::string_view text, const TextStyle& style, float width) {
  constexpr std::string_view closing = "，。；：、！？）」』”";
  std::size_t end = 0, best = 0;
  float used = 0;
  while (end < text.size()) {
    const std::size_t length = std::min(sequence_length(text[end]), text.size() - end);
    const std::string_view character = text.substr(end, length);
    if (character == "\n") return end;
    const bool closes = length == 3 && closing.find(character) != closing.npos;
    if (end > 0 && is_cjk(character) && !closes) best = end;
    used += canvas.measure(character, style);
    if (used > width && end > 0) return best ? best : end;
    end += length;
    if (character == " ") best = end;
  }
  return end;
}

}  // namespace

bool Canvas::text_fit(Vec2 at, std::string_view utf8, const TextStyle& style, float width) {
  if (measure(utf8, style) <= width) {
    text(at, utf8, style);
    return false;
  }
  if (width > 0) text(at, shortened(*this, utf8, style, width), style);
  return true;
}

namespace {

// Takes the first line of at most `width` off the front of `text`.
std::string_view take_line(const Canvas& canvas, std::string_view& text, const TextStyle& style, float width) {
  const std::string_view line = text.substr(0, line_end(canvas, text, style, width));
  text.remove_prefix(line.size());
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  return line;
}

}  // namespace

int Canvas::count_lines(std::string_view utf8, const TextStyle& style, float width) const {
  int lines = 0;
  for (; !utf8.empty(); ++lines) take_line(*this, utf8, style, width);
  return lines;
}

float Canvas::text_wrap(Vec2 top_left, std::string_view utf8, const TextStyle& style, float width, float line_height) {
  float y = top_left.y;
  for (; !utf8.empty(); y += line_height)
    text({top_left.x, y + line_height / 2}, take_line(*this, utf8, style, width), style);
  return y - top_left.y;
}

}  // namespace lockstep
