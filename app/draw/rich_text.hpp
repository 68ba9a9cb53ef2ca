// Text in which words stand in several faces: bold, code. Wrapped as text_wrap does.
#pragma once
#include <string>
#include <vector>

#include "canvas.hpp"

namespace lockstep {

struct TextSpan {
  std::string text;
  Font font = Font::words;
  bool operator==(const TextSpan&) const = default;
};
using RichText = std::vector<TextSpan>;

// The height that draw_rich_text uses.
float rich_text_height(const Canvas& canvas, const RichText& text, float size, float width,
                       float line_height);
// On one line.
float rich_text_width(const Canvas& canvas, const RichText& text, float size);
// From the top left corner; returns the height used.
float draw_rich_text(Canvas& canvas, Vec2 top_left, const RichText& text, float size, Color color,
                     float width, float line_height);

}  // namespace lockstep
