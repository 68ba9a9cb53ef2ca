#include "arithmetic.hpp"

namespace lockstep {
namespace {

// Smaller where a column is narrow, so that a formula and its numbers stay on one row.
TextStyle mono(const Theme& theme, Color color, float width) {
  return {Font::mono, (width < 420 * theme.type ? 10.5f : 11.5f) * theme.type, color};
}

std::string joined(const IndexLine& line) { return (line.compares ? "   " : " = ") + line.numbers; }

bool on_one_row(const Canvas& canvas, const Theme& theme, const IndexLine& line, float width) {
  return canvas.measure(line.formula + joined(line), mono(theme, theme.ink, width)) <= width;
}

constexpr float kLineRow = 17, kLineTitleRows = 1.4f;

}  // namespace

float lines_height(const Canvas& canvas, const Theme& theme, const std::vector<IndexLine>& lines,
                   float width) {
  float rows = kLineTitleRows;
  for (const IndexLine& line : lines)
    rows += on_one_row(canvas, theme, line, width)
                ? 1.f
                : 1.f + float(canvas.count_lines(line.formula, mono(theme, theme.dim, width), width));
  return rows * kLineRow * theme.type;
}

void draw_lines(Canvas& canvas, const Theme& theme, Rect r, const std::string& title,
                const std::vector<IndexLine>& lines) {
  const float row = kLineRow * theme.type;
  canvas.text_fit({r.x, r.y + row / 2}, title, {Font::words_semibold, 12.5f * theme.type, theme.ink}, r.w);
  float y = r.y + kLineTitleRows * row;
  for (const IndexLine& line : lines) {
    float x = r.x;
    if (on_one_row(canvas, theme, line, r.w)) {
      canvas.text({x, y + row / 2}, line.formula, mono(theme, theme.dim, r.w));
      x += canvas.measure(line.formula, mono(theme, theme.dim, r.w));
    } else {
      y += canvas.text_wrap({x, y}, line.formula, mono(theme, theme.dim, r.w), r.w, row);
      x += 12 * theme.type;
    }
    canvas.text_fit({x, y + row / 2}, joined(line), mono(theme, theme.ink, r.w), r.right() - x);
    y += row;
  }
}

}  // namespace lockstep
