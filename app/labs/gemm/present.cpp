// The product for a room of people: A, B and C side by side and large, and the bytes of each level.
#include <algorithm>

#include "app/draw/language.hpp"
#include "app/labs/story.hpp"
#include "app/labs/traffic_tower.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

constexpr float kTitle = 24, kBetween = 26, kBars = 150;  // px at type size 1

Rect part_of(Rect r, const ProductMatrix& m, float cell, Span rows, Span cols) {
  const std::int64_t top = std::max(rows.first, m.rows.first), left = std::max(cols.first, m.cols.first);
  const std::int64_t bottom = std::min(rows.last(), m.rows.last()),
                     right = std::min(cols.last(), m.cols.last());
  return {r.x + float(left - m.cols.first) * cell, r.y + float(top - m.rows.first) * cell,
          float(right - left + 1) * cell, float(bottom - top + 1) * cell};
}

void draw_tile_lines(Canvas& canvas, const Theme& theme, Rect r, const ProductMatrix& m, float cell,
                     std::int64_t tile_rows, std::int64_t tile_cols) {
  constexpr float kLeast = 8;
  const Color line = mix(theme.line, theme.dim, 0.35f);
  for (std::int64_t i = m.rows.first;
       tile_rows > 0 && float(tile_rows) * cell >= kLeast && i <= m.rows.last(); ++i)
    if (i % tile_rows == 0) {
      const float y = r.y + float(i - m.rows.first) * cell;
      canvas.line({r.x, y}, {r.right(), y}, line);
    }
  for (std::int64_t i = m.cols.first;
       tile_cols > 0 && float(tile_cols) * cell >= kLeast && i <= m.cols.last(); ++i)
    if (i % tile_cols == 0) {
      const float x = r.x + float(i - m.cols.first) * cell;
      canvas.line({x, r.y}, {x, r.bottom()}, line);
    }
  canvas.stroke_rect(r, line, 1.5f);
}

void draw_matrix(Canvas& canvas, const Theme& theme, Vec2 at, const ProductPicture& p, int which,
                 float cell) {
  const ProductMatrix& m = p.matrix[std::size_t(which)];
  const float type = theme.type;
  const Rect r{at.x, at.y + kTitle * type, float(m.cols.count) * cell, float(m.rows.count) * cell};
  const TextStyle strong{Font::words_semibold, 12.5f * type, theme.ink};
  const float room = r.w + (which < 2 ? kBetween * type - 4 : 0);
  const bool fits = canvas.measure(m.title, strong) <= room;
  canvas.text_fit({at.x, at.y + 9 * type}, fits ? m.title : m.title.substr(0, m.title.find("  ")), strong,
                  room);
  const char* const kNames[] = {"/a", "/b", "/c"};
  draw_product_cells(canvas, theme, p.id + kNames[which], r, m, p.in_use, cell);
  draw_tile_lines(canvas, theme, r, m, cell, which == 1 ? p.tile_k : p.tile_rows,
                  which == 0 ? p.tile_k : p.tile_cols);
  if (p.element) {
    const auto [row, col] = *p.element;
    const Rect strip = which == 0   ? part_of(r, m, cell, {row, 1}, m.cols)
                       : which == 1 ? part_of(r, m, cell, m.rows, {col, 1})
                                    : part_of(r, m, cell, {row, 1}, {col, 1});
    if (strip.w > 0 && strip.h > 0) canvas.stroke_rect(strip.inset(which == 2 ? -2.f : 0.f), theme.ink, 1.5f);
  }
  for (const ProductBox& box : p.boxes) {
    if (box.matrix != which) continue;
    const Rect edge = part_of(r, m, cell, box.rows, box.cols);
    if (edge.w > 0 && edge.h > 0) canvas.stroke_rect(edge.inset(-box.width / 2), box.color, box.width + 1, 1);
  }
  draw_product_lanes(canvas, theme, r, p, which, cell);
}

}  // namespace

void draw_gemm_presentation(Canvas& canvas, const GemmPicture& shown) {
  const Theme& theme = shown.in.theme;
  const float type = theme.type, pad = 28;
  const Rect area{shown.in.area.x + pad, shown.in.area.y + 6, shown.in.area.w - 2 * pad,
                  shown.in.area.h - 12};
  const float between = kBetween * type;
  const bool bars = area.w >= 500 * type;
  const float room_w = area.w - 2 * between - (bars ? kBars * type + between : 0),
              room_h = area.h - (kTitle + 24) * type;
  const ProductPicture p = product_picture(shown, {2 * room_w / 3, 2 * room_h});
  const auto& [a, b, c] = p.matrix;
  const float cell = std::min(room_w / float(a.cols.count + b.cols.count + c.cols.count),
                              room_h / float(std::max(a.rows.count, b.rows.count)));
  float x = area.x;
  const float y = area.y;
  for (int i = 0; i < 3; ++i) {
    draw_matrix(canvas, theme, {x, y}, p, i, cell);
    x += float(p.matrix[std::size_t(i)].cols.count) * cell;
    const char* const kSigns[] = {"×", "="};
    if (i < 2)
      canvas.text({x + between / 2, y + kTitle * type + float(a.rows.count) * cell / 2}, kSigns[i],
                  {Font::words_semibold, 15 * type, theme.dim, Align::center});
    if (i < 2) x += between;
  }
  const auto legend = product_legend(shown);
  const float below = y + (kTitle + 6) * type + float(std::max(a.rows.count, b.rows.count)) * cell;
  if (legend_height(canvas, theme, area.w, legend) <= area.bottom() + 8 - below)
    draw_legend(canvas, theme, {area.x, below, area.w, area.bottom() - below}, legend);
  if (!bars) return;
  x += between;
  const Launch& launch = *shown.scene.launch;
  draw_level_bars(canvas, theme, {x, y, area.right() - x, room_h},
                  tr("Bytes so far, block {0}", {block_text(launch, launch.trace.block)}),
                  traffic_bars(shown.scene.progress.traffic_until(shown.step()), !shown.scene.straight()));
}

}  // namespace lockstep
