#include "tower.hpp"

#include <algorithm>
#include <numeric>

namespace lockstep {
namespace {

constexpr float kChannel = 26;  // beside the boxes, for links that skip a level
constexpr int kMostSquares = 4;

struct Shape {
  Rect area;
  const std::vector<TowerLevel>& levels;
  float type;
  bool channel;
  float title() const { return 26 * type; }
  float gap() const {
    return levels.size() > 5 ? std::clamp(area.h * 0.05f, 19 * type, 40 * type)
                             : std::clamp(area.h * 0.065f, 26 * type, 44 * type);
  }
  // Heights of the levels before `i`, in weights.
  float weights(int i) const {
    return std::accumulate(levels.begin(), levels.begin() + i, 0.f,
                           [](float sum, const TowerLevel& level) { return sum + level.weight; });
  }
  float unit() const {
    const int count = int(levels.size());
    return (area.h - title() - gap() * float(count - 1)) / weights(count);
  }
  Rect level(int i) const {
    const float w = channel ? area.w - kChannel : area.w;
    return {area.x, area.y + title() + weights(i) * unit() + float(i) * gap(), w,
            levels[std::size_t(i)].weight * unit()};
  }
};

// The level's cells in rows of 16, their meaning behind them.
void draw_cells(Canvas& canvas, const Theme& theme, Rect r, const TowerLevel& level) {
  constexpr int kColumns = 16;
  if (level.cells.empty()) return;
  const int rows = (int(level.cells.size()) + kColumns - 1) / kColumns;
  const TextStyle style{Font::words, 10.5f * theme.type, theme.dim, Align::right};
  const float room = canvas.measure(level.cells_are, style) + 10;
  const float cell = std::min({(r.w - room) / kColumns, r.h / float(rows), 13 * theme.type});
  if (cell < 4) return;
  const auto palette = cell_palette(theme, level.color);
  for (std::size_t i = 0; i < level.cells.size(); ++i) {
    const CellState state = level.cells[i];
    const Color fill = state == CellState::done ? level.color : palette[std::size_t(state)];
    canvas.fill_rect({r.x + float(i % kColumns) * cell, r.y + float(i / kColumns) * cell, cell - 2, cell - 2},
                     fill, 2);
  }
  canvas.text({r.right(), r.y + cell * float(rows) / 2 - 1}, level.cells_are, style);
}

// The parts one below the other, as many as there is room for.
void draw_parts(Canvas& canvas, const Theme& theme, Rect r, const TowerLevel& level) {
  if (level.parts.empty()) return;
  const float row = std::min(r.h / float(level.parts.size()), 36 * theme.type);
  if (row < 10.6f * theme.type) return;
  const TextStyle style{Font::words_semibold, 10.5f * theme.type, theme.ink};
  const auto widest_of = [&](std::string TowerPart::*text) {
    float widest = 0;
    for (const TowerPart& part : level.parts) widest = std::max(widest, canvas.measure(part.*text, style));
    return widest;
  };
  constexpr float kMostText = 0.72f;
  const bool whole = widest_of(&TowerPart::text) + 12 <= r.w * kMostText;
  const auto text = whole || level.parts.front().shorter.empty() ? &TowerPart::text : &TowerPart::shorter;
  const float strip = r.w - std::min(widest_of(text) + 12, r.w * kMostText);
  float y = r.y;
  for (const TowerPart& part : level.parts) {
    int cells = std::max(1, part.cells), filled = part.filled;
    while (cells > 1 && strip < 6 * float(cells)) cells = (cells + 1) / 2, filled = (filled + 1) / 2;
    const float cell = strip / float(cells), height = std::min(row - 4, 22 * theme.type);
    for (int i = 0; i < cells; ++i) {
      const Color full = part.strong ? part.color : mix(theme.panel, part.color, 0.45f);
      canvas.fill_rect(
          {r.x + float(i) * cell, y + (row - height) / 2, cell - (cell >= 5 ? 2.f : 0.5f), height},
          i < filled ? full : theme.soft, cell >= 5 ? 2 : 0);
    }
    canvas.text_fit({r.x + strip + 10, y + row / 2}, part.*text,
                    {style.font, style.size, part.strong ? theme.readable(part.color) : theme.dim},
                    r.w - strip - 10);
    y += row;
  }
}

void draw_level(Canvas& canvas, const Theme& theme, Rect r, const TowerLevel& level) {
  canvas.fill_rect(r, theme.panel, 6);
  canvas.stroke_rect(r, level.color, 1.5f, 6);
  const float type = theme.type, pad = 14;
  float y = r.y + std::min(18 * type, r.h / 2);
  const TextStyle name{Font::words_semibold, 13.5f * type, theme.readable(level.color)};
  const TextStyle figure{Font::mono_semibold, 11.5f * type, theme.ink, Align::right};
  canvas.text_fit({r.x + pad, y}, level.name, name, r.w - 2 * pad);
  const float room = r.w - 2 * pad - canvas.measure(level.name, name) - 8;
  for (const std::string& text : {level.figure + level.unit, level.figure})
    if (!level.figure.empty() && canvas.measure(text, figure) <= room) {
      canvas.text({r.right() - pad, y}, text, figure);
      break;
    }
  if (!level.hint.empty()) canvas.hint(r, level.hint);
  const TextStyle plain{Font::words, 11.5f * type, theme.dim};
  for (const std::string& line : level.lines) {
    if (canvas.measure(line, plain) > r.w - 2 * pad) continue;  // a slender tower has names and figures
    y += 17 * type;
    if (y + (level.hint.empty() ? 8 : 10) * type > r.bottom()) break;
    canvas.text({r.x + pad, y}, line, plain);
  }
  draw_cells(canvas, theme, {r.x + pad, y + 12 * type, r.w - 2 * pad, r.bottom() - y - 22 * type}, level);
  draw_parts(canvas, theme, {r.x + pad, y + 11 * type, r.w - 2 * pad, r.bottom() - y - 15 * type}, level);
}

// A triangle of 8 x 6 px around `at`, pointing up or down.
void arrow(Canvas& canvas, Vec2 at, bool up, Color color) {
  const float s = up ? -1.f : 1.f;
  const Vec2 points[] = {{at.x - 4, at.y - 3 * s}, {at.x + 4, at.y - 3 * s}, {at.x, at.y + 3 * s}};
  canvas.fill_polygon(points, color);
}

// The squares of one direction between y0 and y1 (bottom to top when up). Arrived squares are not drawn.
void draw_moving(Canvas& canvas, float x, float y0, float y1, int count, Color color, float motion) {
  if (motion >= 1) return;
  for (int i = 0; i < std::min(count, kMostSquares); ++i) {
    const float t = std::clamp(motion * 1.3f - 0.1f * float(i), 0.f, 1.f);
    const float y = y0 + (y1 - y0) * t;
    canvas.fill_rect({x + float(i) * 11 - 4.5f, y - 4.5f, 9, 9}, color.with_alpha(1 - 0.18f * float(i)), 2);
  }
}

void draw_link(Canvas& canvas, const Theme& theme, const Shape& shape, const std::vector<TowerLevel>& levels,
               const TowerLink& link, float motion) {
  const int top = std::min(link.from, link.to), bottom = std::max(link.from, link.to);
  const Rect above = shape.level(top), below = shape.level(bottom);
  const bool skips = bottom - top > 1;
  const Color color = levels[std::size_t(bottom)].color;
  const float type = theme.type;
  const float y = skips ? below.y - shape.gap() / 2 : (above.bottom() + below.y) / 2;
  if (skips) {  // a rail in the channel, from the lower box up to the upper one
    const float x = shape.area.right() - kChannel / 2;
    const Vec2 rail[] = {{above.right(), above.bottom() - 14},
                         {x, above.bottom() - 14},
                         {x, below.y + 14},
                         {below.right(), below.y + 14}};
    canvas.polyline(rail, color, 2);
    if (link.moving_up)
      draw_moving(canvas, x, below.y + 14, above.bottom() - 14, std::min(link.moving_up, 1), color, motion);
    if (link.moving_down)
      draw_moving(canvas, x, above.bottom() - 14, below.y + 14, std::min(link.moving_down, 1), color, motion);
  } else {
    const float x = shape.area.x + 18;
    if (link.moving_up) draw_moving(canvas, x, below.y, above.bottom(), link.moving_up, color, motion);
    if (link.moving_down) draw_moving(canvas, x, above.bottom(), below.y, link.moving_down, color, motion);
  }
  // The totals stand in the gap above the lower box: up on the left half, down on the right half.
  const TextStyle style{Font::mono_semibold, 11.5f * type, theme.readable(color), Align::left};
  const float half = below.w / 2, x0 = below.x;
  const auto figure = [&](float x, const std::string& text, bool up) {
    if (text.empty()) return;
    arrow(canvas, {x + 4, y}, up, theme.readable(color));
    canvas.text_fit({x + 13, y}, text, style, half - 16);
  };
  const float up_x = x0 + half * 0.20f, down_x = x0 + half * 1.12f;
  figure(up_x, link.up, true);
  figure(down_x, link.down, false);
  if (link.modelled)  // the badge of modelled figures: a dotted ring, before both
    canvas.stroke_circle({up_x - 9 * type, y}, 4 * type, theme.dim, 1.2f, 1.6f);
}

bool has_channel(const std::vector<TowerLink>& links) {
  return std::any_of(links.begin(), links.end(),
                     [](const TowerLink& l) { return std::abs(l.from - l.to) > 1; });
}

}  // namespace

Rect tower_level(const Theme& theme, Rect r, const std::vector<TowerLevel>& levels,
                 const std::vector<TowerLink>& links, int level) {
  return Shape{r, levels, theme.type, has_channel(links)}.level(level);
}

static void draw_tower_at(Canvas& canvas, const Theme& theme, Rect r, const std::string& title,
                          const std::vector<TowerLevel>& levels, const std::vector<TowerLink>& links,
                          float motion) {
  const Shape shape{r, levels, theme.type, has_channel(links)};
  canvas.text_fit({r.x, r.y + 10 * theme.type}, title, {Font::words_semibold, 13.5f * theme.type, theme.ink},
                  r.w);
  for (int i = 0; i < int(levels.size()); ++i)
    draw_level(canvas, theme, shape.level(i), levels[std::size_t(i)]);
  for (const TowerLink& link : links) draw_link(canvas, theme, shape, levels, link, motion);
}

void draw_tower(Canvas& canvas, const Theme& theme, Rect r, const std::string& title,
                const std::vector<TowerLevel>& levels, const std::vector<TowerLink>& links, float motion) {
  canvas.part("tower", r,
              [&](Canvas& on, Rect at) { draw_tower_at(on, theme, at, title, levels, links, motion); });
}

float tower_table_height(const Theme& theme, std::size_t levels) {
  return (24 + 19 * float(levels)) * theme.type;
}

void draw_tower_table(Canvas& canvas, const Theme& theme, Rect r, const std::string& title,
                      const std::vector<TowerLevel>& levels, const std::vector<TowerLink>& links) {
  const float type = theme.type;
  canvas.text_fit({r.x, r.y + 10 * type}, title, {Font::words_semibold, 12.5f * type, theme.ink}, r.w);
  TextStyle number{Font::mono, 11.5f * type, theme.ink, Align::right};
  float y = r.y + 24 * type;
  for (int i = 0; i < int(levels.size()); ++i) {
    const TowerLevel& level = levels[std::size_t(i)];
    const float middle = y + 9 * type;
    const auto link = std::find_if(links.begin(), links.end(), [&](const TowerLink& l) {
      return std::max(l.from, l.to) == i && !l.up.empty();
    });
    if (link == links.end() && level.figure.empty()) continue;
    y += 19 * type;
    canvas.fill_rect({r.x, middle - 6 * type, 4, 12 * type}, level.color, 2);
    canvas.text_fit({r.x + 12, middle}, level.name,
                    {Font::words_semibold, 12.5f * type, theme.readable(level.color)}, r.w * 0.38f - 12);
    if (link != links.end()) {
      arrow(canvas, {r.x + r.w * 0.42f + 4, middle}, true, theme.readable(level.color));
      number.align = Align::left;
      canvas.text_fit({r.x + r.w * 0.42f + 13, middle}, link->up, number, r.w * 0.28f - 13);
      if (link->modelled)
        canvas.stroke_circle({r.x + r.w * 0.42f - 9 * type, middle}, 4 * type, theme.dim, 1.2f, 1.6f);
    }
    number.align = Align::right;
    canvas.text_fit({r.right(), middle}, level.figure + level.unit, number, r.w * 0.3f - 6);
  }
}

}  // namespace lockstep
