#include "rich_text.hpp"

#include <functional>

#include "text_metrics.hpp"

namespace lockstep {
namespace {

constexpr float kCodeSize = 12.5f / 13.5f;  // the mono face looks larger than the words beside it
constexpr char32_t kFirstCjk = 0x2E80;

float size_of(Font font, float size) {
  return font == Font::mono || font == Font::mono_semibold ? size * kCodeSize : size;
}

bool is_one_of(std::u32string_view set, char32_t c) { return set.find(c) != set.npos; }

// May a line end between these two? Closing punctuation begins no line, opening punctuation ends none.
bool may_break(char32_t before, char32_t after) {
  constexpr std::u32string_view closing = U"，。；：、！？）」』》”…", opening = U"（「『《“";
  if (before == U' ') return after != U' ';
  return (before >= kFirstCjk || after >= kFirstCjk) && !is_one_of(closing, after) &&
         !is_one_of(opening, before);
}

// What stays on one line, in one face or several, without the spaces behind it.
struct Piece {
  RichText spans;
  std::string spaces;  // behind it
};

void append(RichText& spans, std::string_view text, const TextSpan& of) {
  if (spans.empty() || spans.back().font != of.font || spans.back().term != of.term)
    spans.push_back({"", of.font, of.term});
  spans.back().text += text;
}

std::vector<Piece> pieces_of(const RichText& text) {
  std::vector<Piece> pieces(1);
  char32_t before = 0;
  for (const TextSpan& span : text)
    for (std::string_view rest = span.text; !rest.empty();) {
      const std::string_view all = rest;
      const char32_t c = take_code_point(rest);
      const std::string_view character = all.substr(0, all.size() - rest.size());
      if (before && may_break(before, c)) pieces.emplace_back();
      c == U' ' ? void(pieces.back().spaces += ' ') : append(pieces.back().spans, character, span);
      before = c;
    }
  return pieces;
}

float width_of(const Canvas& canvas, const RichText& spans, float size) {
  float width = 0;
  for (const TextSpan& span : spans)
    width += canvas.measure(span.text, {span.font, size_of(span.font, size), {}});
  return width;
}

// Calls `put` for every span with its place; returns the height.
float lay_out(const Canvas& canvas, const RichText& text, float size, float width, float line,
              const std::function<void(Vec2, const TextSpan&)>& put) {
  if (text.empty()) return 0;
  float x = 0, y = 0;
  for (const Piece& piece : pieces_of(text)) {
    const float wide = width_of(canvas, piece.spans, size);
    if (x > 0 && x + wide > width) x = 0, y += line;
    for (const TextSpan& span : piece.spans) {
      const float part = width_of(canvas, {span}, size);
      if (x + part <= width || part <= width) {
        if (x > 0 && x + part > width) x = 0, y += line;
        put({x, y + line / 2}, span);
        x += part;
        continue;
      }
      for (std::string_view rest = span.text; !rest.empty();) {  // longer than a line: breaks anywhere
        const std::string_view all = rest;
        take_code_point(rest);
        const TextSpan one{std::string(all.substr(0, all.size() - rest.size())), span.font, span.term};
        const float w = width_of(canvas, {one}, size);
        if (x > 0 && x + w > width) x = 0, y += line;
        put({x, y + line / 2}, one);
        x += w;
      }
    }
    x += width_of(canvas, {{piece.spaces, Font::words}}, size);
  }
  return y + line;
}

}  // namespace

float rich_text_height(const Canvas& canvas, const RichText& text, float size, float width,
                       float line_height) {
  return lay_out(canvas, text, size, width, line_height, [](Vec2, const TextSpan&) {});
}

float rich_text_width(const Canvas& canvas, const RichText& text, float size) {
  return width_of(canvas, text, size);
}

// Fragments of one term on one line are one place.
static void add_place(std::vector<TermPlace>& places, const std::string& term, Rect area) {
  if (!places.empty() && places.back().term == term && places.back().area.y == area.y)
    places.back().area.w = area.right() - places.back().area.x;
  else
    places.push_back({term, area});
}

float draw_rich_text(Canvas& canvas, Vec2 top_left, const RichText& text, float size, Color color,
                     float width, float line_height, std::vector<TermPlace>* terms) {
  std::vector<TermPlace> places;
  const float height = lay_out(canvas, text, size, width, line_height, [&](Vec2 at, const TextSpan& span) {
    const TextStyle style{span.font, size_of(span.font, size), color};
    const Vec2 left{top_left.x + at.x, top_left.y + at.y};
    canvas.text(left, span.text, style);
    if (terms && !span.term.empty())
      add_place(places, span.term,
                {left.x, left.y - line_height / 2, canvas.measure(span.text, style), line_height});
  });
  for (const TermPlace& place : places) draw_term_line(canvas, place.area, color);
  if (terms) terms->insert(terms->end(), places.begin(), places.end());
  return height;
}

void draw_term_line(Canvas& canvas, Rect word, Color color) {
  constexpr float kDot = 1.5f, kOfLine = 0.86f;
  const float y = word.y + word.h * kOfLine;
  canvas.line({word.x, y}, {word.right(), y}, color.with_alpha(0.55f), 1, kDot);
}

}  // namespace lockstep
