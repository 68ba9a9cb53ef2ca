#include "matrix.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace lockstep {
namespace {

constexpr float kOverview = 34;  // side of the small picture of the whole matrix, at type size 1
constexpr float kAxis = 22;      // row numbers to the left

Rect cells_area(const Theme& theme, Rect r, const MatrixPicture& p) {
  const float axis = kAxis * theme.type, header = kCellsBelow * theme.type;
  const Rect room{r.x + axis, r.y + header, r.w - axis, r.h - header};
  if (p.shown_rows <= 0 || p.shown_cols <= 0) return {room.x, room.y, 0, 0};
  const float cell = std::min(room.w / float(p.shown_cols), room.h / float(p.shown_rows));
  return {room.x, room.y, cell * float(p.shown_cols), cell * float(p.shown_rows)};
}

Rect overview_area(const Theme& theme, Rect r, const MatrixPicture& p) {
  const float most = float(std::max<std::int64_t>(1, std::max(p.rows, p.cols)));
  const float side = kOverview * theme.type, w = side * float(p.cols) / most, h = side * float(p.rows) / most;
  return {r.right() - w, r.y, w, h};
}

// Every how many rows or columns a number is written.
std::int64_t label_step(float cell, float room) {
  for (std::int64_t step : {1, 2, 4, 8, 16, 32, 64, 128})
    if (cell * float(step) >= room) return step;
  return 256;
}

void draw_axes(Canvas& canvas, const Theme& theme, Rect cells, const MatrixPicture& p) {
  const float cell = cells.w / float(std::max<std::int64_t>(1, p.shown_cols));
  TextStyle style{Font::mono, 9.5f * theme.type, theme.dim, Align::center};
  const std::int64_t across = label_step(cell, 26 * theme.type), down = label_step(cell, 14 * theme.type);
  for (std::int64_t c = 0; c < p.shown_cols; ++c)
    if ((p.first_col + c) % across == 0)
      canvas.text({cells.x + (float(c) + 0.5f) * cell, cells.y - 10 * theme.type},
                  std::to_string(p.first_col + c), style);
  style.align = Align::right;
  for (std::int64_t row = 0; row < p.shown_rows; ++row)
    if ((p.first_row + row) % down == 0)
      canvas.text({cells.x - 5, cells.y + (float(row) + 0.5f) * cell}, std::to_string(p.first_row + row),
                  style);
}

void draw_overview(Canvas& canvas, const Theme& theme, Rect o, const MatrixPicture& p) {
  canvas.fill_rect(o, theme.soft, 2);
  canvas.stroke_rect(o, theme.line, 1, 2);
  const float sx = o.w / float(std::max<std::int64_t>(1, p.cols)),
              sy = o.h / float(std::max<std::int64_t>(1, p.rows));
  const auto place = [&](const Region& part) {
    constexpr float kLeast = 3;  // a small part of a large matrix must still be seen
    Rect at{o.x + float(part.col) * sx, o.y + float(part.row) * sy, float(part.cols) * sx,
            float(part.rows) * sy};
    if (at.w < kLeast) at.x = std::min(at.x, o.right() - kLeast), at.w = kLeast;
    if (at.h < kLeast) at.y = std::min(at.y, o.bottom() - kLeast), at.h = kLeast;
    return at;
  };
  const Rect here = place({p.first_row, p.first_col, p.shown_rows, p.shown_cols});
  std::vector<Vec2> way{here.center()};
  for (const Region& part : p.next) {
    const Rect at = place(part);
    canvas.fill_rect(at, mix(theme.soft, p.color, 0.42f), 1);
    way.push_back(at.center());
  }
  canvas.fill_rect(here, p.color, 1);
  if (way.size() < 2) return;
  canvas.polyline(way, theme.ink, 1.5f);
  canvas.landmark("order in " + p.id.substr(p.id.rfind('/') + 1), o);
}

}  // namespace

std::vector<Color> cell_palette(const Theme& theme, Color level) {
  return {theme.ground,                         // absent
          theme.soft,                           // untouched
          mix(theme.panel, level, 0.42f),       // done
          level,                                // reads now
          level,                                // writes now
          mix(theme.soft, theme.ground, 0.7f),  // padding
          color::trouble,
          color::registers};
}

std::optional<Rect> cell_rect(const Theme& theme, Rect r, const MatrixPicture& p, std::int64_t row,
                              std::int64_t col) {
  row -= p.first_row, col -= p.first_col;
  if (row < 0 || col < 0 || row >= p.shown_rows || col >= p.shown_cols) return {};
  const Rect cells = cells_area(theme, r, p);
  const float w = cells.w / float(p.shown_cols), h = cells.h / float(p.shown_rows);
  return Rect{cells.x + float(col) * w, cells.y + float(row) * h, w, h};
}

MatrixHit draw_matrix(Canvas& canvas, const Theme& theme, Rect r, const MatrixPicture& p) {
  canvas.landmark(p.title, r);
  const Rect overview = overview_area(theme, r, p);
  const float type = theme.type;
  const float text_width = overview.x - r.x - 10;
  canvas.text_fit({r.x, r.y + 10 * type}, p.title, {Font::words_semibold, 13.5f * type, theme.ink},
                  text_width);
  canvas.text_fit({r.x, r.y + 28 * type}, p.subtitle, {Font::words, 11.5f * type, theme.dim}, text_width);
  draw_overview(canvas, theme, overview, p);
  const Rect cells = cells_area(theme, r, p);
  if (cells.w <= 0) return {};
  draw_axes(canvas, theme, cells, p);
  std::array<Color, 256> colors{};
  const auto palette = cell_palette(theme, p.color);
  std::copy(palette.begin(), palette.end(), colors.begin());
  std::vector<std::uint8_t> values(p.cells.size());
  std::transform(p.cells.begin(), p.cells.end(), values.begin(), [](CellState s) { return std::uint8_t(s); });
  const float cell = cells.w / float(p.shown_cols);
  canvas.grid(p.id, cells, int(p.shown_cols), int(p.shown_rows), values, colors, cell >= 4 ? 1.f : 0.f);
  for (std::int64_t i = 0; i < std::int64_t(p.cells.size()); ++i)
    if (p.cells[std::size_t(i)] == CellState::writes_now || p.cells[std::size_t(i)] == CellState::reads_now) {
      const Rect c{cells.x + float(i % p.shown_cols) * cell, cells.y + float(i / p.shown_cols) * cell, cell,
                   cell};
      canvas.stroke_rect(c, color::current, std::clamp(cell / 6, 1.f, 2.f), 1);
    }
  if (p.pinned)
    if (const auto at =
            cell_rect(theme, r, p, std::int64_t(*p.pinned) / p.cols, std::int64_t(*p.pinned) % p.cols))
      canvas.stroke_rect({at->x - 1, at->y - 1, at->w + 2, at->h + 2}, theme.ink, 2, 2);

  MatrixHit hit;
  const auto element_in = [&](Rect area, std::int64_t row0, std::int64_t col0, std::int64_t rows,
                              std::int64_t cols, const Hit& h) {
    const auto col = col0 + std::clamp<std::int64_t>(
                                std::int64_t((h.pointer.x - area.x) / area.w * float(cols)), 0, cols - 1);
    const auto row = row0 + std::clamp<std::int64_t>(
                                std::int64_t((h.pointer.y - area.y) / area.h * float(rows)), 0, rows - 1);
    hit.hovered = std::uint64_t(row * p.cols + col);
    hit.clicked = h.clicked, hit.pointer = h.pointer;
  };
  if (const Hit h = canvas.hit(p.id + "/cells", cells); h.hovered)
    element_in(cells, p.first_row, p.first_col, p.shown_rows, p.shown_cols, h);
  if (const Hit h = canvas.hit(p.id + "/overview", overview); h.hovered) {
    element_in(overview, 0, 0, p.rows, p.cols, h);
    hit.in_overview = true;
  }
  return hit;
}

}  // namespace lockstep
