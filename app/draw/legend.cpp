#include "legend.hpp"

#include <algorithm>

namespace lockstep {
namespace {

constexpr float kRow = 20;

TextStyle item_style(const Theme& theme) { return {Font::words, 11 * theme.type, theme.dim}; }

float item_width(const Canvas& canvas, const Theme& theme, const LegendItem& item) {
  return (11 + 6 + 14) * theme.type + canvas.measure(item.label, item_style(theme));
}

// Calls place(item, x, row) from left to right, row by row; returns the rows.
template <class F>
int flow(const Canvas& canvas, const Theme& theme, float width, const std::vector<LegendItem>& items,
         F place) {
  float x = 0;
  int row = 0;
  for (const LegendItem& item : items) {
    const float w = item_width(canvas, theme, item);
    if (x > 0 && x + w - 14 * theme.type > width) x = 0, ++row;
    place(item, x, row);
    x += w;
  }
  return items.empty() ? 0 : row + 1;
}

}  // namespace

float legend_height(const Canvas& canvas, const Theme& theme, float width,
                    const std::vector<LegendItem>& items) {
  return float(flow(canvas, theme, width, items, [](auto&&...) {})) * kRow * theme.type;
}

void draw_legend(Canvas& canvas, const Theme& theme, Rect r, const std::vector<LegendItem>& items) {
  const float side = 11 * theme.type;
  flow(canvas, theme, r.w, items, [&](const LegendItem& item, float x, int row) {
    const float y = r.y + (float(row) + 0.5f) * kRow * theme.type;
    const Rect swatch{r.x + x, y - side / 2, side, side};
    if (item.outline)
      canvas.stroke_rect({swatch.x + 1, swatch.y + 1, side - 2, side - 2}, item.color, 2, 2);
    else
      canvas.fill_rect(swatch, item.color, 2);
    canvas.text_fit({swatch.right() + 6 * theme.type, y}, item.label, item_style(theme),
                    r.right() - swatch.right() - 6 * theme.type);
  });
}

bool draw_card(Canvas& canvas, const Theme& theme, Rect r, const Card& card) {
  const float type = theme.type, pad = 12 * type, step = 18 * type;
  const TextStyle title{Font::mono_semibold, 12.5f * type, theme.ink},
      line{Font::words, 11.5f * type, theme.dim},
      action{Font::words, 11.5f * type, theme.readable(theme.accent)};
  const std::string what_to_do = canvas.interactive() ? card.action : "";
  float width = std::max(canvas.measure(card.title, title), canvas.measure(what_to_do, action));
  for (const std::string& text : card.lines) width = std::max(width, canvas.measure(text, line));
  width = std::min(width + 2 * pad + 1, r.w);
  const float room = width - 2 * pad;
  if (room < 110 * type || canvas.measure(card.title, title) > room) return false;
  float rows = 1;
  for (const std::string& text : card.lines) rows += float(canvas.count_lines(text, line, room));
  if (!what_to_do.empty()) rows += 0.3f + float(canvas.count_lines(what_to_do, action, room));
  const Rect box{r.x, r.y, width, rows * step + 2 * pad - 4};
  if (box.h > r.h) return false;
  canvas.fill_rect(box, theme.panel, 6);
  canvas.stroke_rect(box, theme.line, 1, 6);
  float y = box.y + pad - 2;
  canvas.text({box.x + pad, y + step / 2}, card.title, title);
  y += step;
  for (const std::string& text : card.lines) y += canvas.text_wrap({box.x + pad, y}, text, line, room, step);
  if (!what_to_do.empty()) canvas.text_wrap({box.x + pad, y + 0.3f * step}, what_to_do, action, room, step);
  return true;
}

}  // namespace lockstep
