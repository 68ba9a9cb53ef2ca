// Text in which words stand in several faces: bold, code; and where terms of the field stand in it, each with
// a dotted underline. Wrapped as text_wrap does.
#pragma once
#include <string>
#include <vector>

#include "canvas.hpp"

namespace lockstep {

struct TextSpan {
  std::string text;
  Font font = Font::words;
  std::string term = {};  // of the glossary, "" for none
  bool operator==(const TextSpan&) const = default;
};
using RichText = std::vector<TextSpan>;

// The height that draw_rich_text uses.
float rich_text_height(const Canvas& canvas, const RichText& text, float size, float width,
                       float line_height);
// On one line.
float rich_text_width(const Canvas& canvas, const RichText& text, float size);
// Where a term stands; one that is wrapped has several.
struct TermPlace {
  std::string term;
  Rect area;
};
// From the top left corner; returns the height used. `terms` gets the places of the terms.
float draw_rich_text(Canvas& canvas, Vec2 top_left, const RichText& text, float size, Color color,
                     float width, float line_height, std::vector<TermPlace>* terms = nullptr);
// Below a word of this area.
void draw_term_line(Canvas& canvas, Rect word, Color color);

}  // namespace lockstep
