#include "product.hpp"

#include <algorithm>
#include <cmath>

#include "travel.hpp"

namespace lockstep {
namespace {

constexpr float kRowNumbers = 34;  // left of A and of B
constexpr float kHead = 38;        // above A and above B: the title, and the numbers of the columns
constexpr float kGap = 16;         // between A and C
constexpr float kLargestCell = 64, kCellWithGap = 8;
constexpr float kTitle = 96;  // of a narrow C: its name and its size

struct Places {
  float cell = 0;
  std::array<Rect, 3> area;  // of the cells of A, B, C
  Rect corner, below;
};

Places places_of(const Theme& theme, Rect r, const ProductPicture& p) {
  const float type = theme.type, head = kHead * type, numbers = kRowNumbers * type;
  const Vec2 room = product_room(theme, r);
  const auto& [a, b, c] = p.matrix;
  Places at;
  at.cell = std::min({room.x / float(a.cols.count + c.cols.count),
                      room.y / float(b.rows.count + c.rows.count), kLargestCell * type});
  if (float(c.cols.count) * at.cell < kTitle * type && room.x > 2 * kTitle * type)
    at.cell = std::min(at.cell, (room.x - kTitle * type) / float(a.cols.count));
  if (at.cell >= kCellWithGap) at.cell = std::floor(at.cell);  // even gaps
  const auto px = [&](std::int64_t count) { return float(count) * at.cell; };
  const float left = std::max(numbers + px(a.cols.count), 90 * type);  // a narrow A still has its title
  const float spare = r.w - left - kGap - std::max(px(c.cols.count), 140 * type);  // C has a title as well
  const float x = r.x + std::max(0.f, spare / 2), c_x = x + left + kGap;
  const float b_y = r.y + head, c_y = b_y + px(b.rows.count) + head;
  at.area[0] = {x + left - px(a.cols.count), c_y, px(a.cols.count), px(a.rows.count)};
  at.area[1] = {c_x, b_y, px(b.cols.count), px(b.rows.count)};
  at.area[2] = {c_x, c_y, px(c.cols.count), px(c.rows.count)};
  at.corner = {r.x, r.y, c_x - numbers - 8 - r.x, c_y - head - 8 - r.y};
  const float end = at.area[2].bottom() + 20;
  at.below = {r.x, end, r.w, r.bottom() - end};
  return at;
}

Rect box_of(const Rect& area, const ProductMatrix& m, Span rows, Span cols, float cell) {
  const auto clip = [](Span span, Span shown) {
    const std::int64_t first = std::max(span.first, shown.first),
                       end = std::min(span.first + span.count, shown.first + shown.count);
    return Span{first, std::max<std::int64_t>(0, end - first)};
  };
  const Span r = clip(rows, m.rows), c = clip(cols, m.cols);
  return {area.x + float(c.first - m.cols.first) * cell, area.y + float(r.first - m.rows.first) * cell,
          float(c.count) * cell, float(r.count) * cell};
}

// Every how many elements a number is written: a power of two times `tile`, or below it.
std::int64_t number_step(float cell, float room, std::int64_t tile) {
  std::int64_t step = std::max<std::int64_t>(1, tile);
  while (float(step) * cell < room) step *= 2;
  while (step % 2 == 0 && float(step / 2) * cell >= 2 * room) step /= 2;
  return step;
}

void draw_numbers(Canvas& canvas, const Theme& theme, Rect area, Span span, float cell, std::int64_t tile,
                  bool across) {
  TextStyle style{Font::mono, 9.5f * theme.type, theme.dim, across ? Align::center : Align::right};
  const float width = canvas.measure(std::to_string(span.last()), style);
  const std::int64_t step = number_step(cell, across ? width + 10 : 16 * theme.type, tile);
  for (std::int64_t i = (span.first + step - 1) / step * step; i <= span.last(); i += step) {
    const float at = (float(i - span.first) + 0.5f) * cell;
    if (across)
      canvas.text({area.x + std::max(at, width / 2), area.y - 8 * theme.type}, std::to_string(i), style);
    else
      canvas.text({area.x - 6, area.y + std::max(at, 5 * theme.type)}, std::to_string(i), style);
  }
}

// Lines at the multiples of the tile, where they are far enough apart; edges only where the matrix ends.
void draw_frame(Canvas& canvas, const Theme& theme, Rect area, const ProductMatrix& m, float cell,
                std::int64_t tile_rows, std::int64_t tile_cols) {
  constexpr float kLeast = 7;
  const Color line = mix(theme.line, theme.dim, 0.35f);
  const auto rule = [&](bool down, Span span, std::int64_t tile, std::int64_t all) {
    for (std::int64_t i = span.first; i <= span.first + span.count; ++i) {
      const bool edge = i == 0 || i == all;
      if (!edge && (tile <= 0 || i % tile != 0 || float(tile) * cell < kLeast)) continue;
      const float at = float(i - span.first) * cell;
      if (down)
        canvas.line({area.x + at, area.y}, {area.x + at, area.bottom()}, line, edge ? 1.5f : 1.f);
      else
        canvas.line({area.x, area.y + at}, {area.right(), area.y + at}, line, edge ? 1.5f : 1.f);
    }
  };
  rule(true, m.cols, tile_cols, m.all_cols);
  rule(false, m.rows, tile_rows, m.all_rows);
}

void draw_title(Canvas& canvas, const Theme& theme, Vec2 at, const ProductMatrix& m, float room) {
  const TextStyle title{Font::words_semibold, 12.5f * theme.type, theme.ink};
  const TextStyle subtitle{Font::words, 11 * theme.type, theme.dim};
  const float width = canvas.measure(m.title, title);
  canvas.text_fit(at, m.title, title, room);
  const float x = at.x + width + 10 * theme.type;
  if (canvas.measure(m.subtitle, subtitle) <= room - (x - at.x)) canvas.text({x, at.y}, m.subtitle, subtitle);
}

void draw_cells(Canvas& canvas, const Theme& theme, const std::string& id, Rect area, const ProductMatrix& m,
                Color in_use, float cell) {
  constexpr int kFirstSum = int(ProductCell::thread) + 1, kSums = 256 - kFirstSum;
  std::array<Color, 256> colors{};
  for (int i = 0; i < kFirstSum; ++i) colors[std::size_t(i)] = product_color(theme, in_use, ProductCell(i));
  for (int i = 0; i < kSums; ++i)
    colors[std::size_t(kFirstSum + i)] = product_sum_color(theme, float(i) / float(kSums - 1));
  std::vector<std::uint8_t> values(m.cells.size());
  for (std::size_t i = 0; i < m.cells.size(); ++i) {
    const bool sum = m.cells[i] >= ProductCell::block && i < m.sums.size() && !std::isnan(m.sums[i]);
    values[i] = sum ? std::uint8_t(kFirstSum + std::lround(std::clamp(m.sums[i], 0.f, 1.f) * (kSums - 1)))
                    : std::uint8_t(m.cells[i]);
  }
  canvas.grid(id, area, int(m.cols.count), int(m.rows.count), values, colors,
              cell >= kCellWithGap ? 1.f : 0.f);
}

// From an element of C to its row of A and its column of B.
void draw_lines(Canvas& canvas, const Theme& theme, const ProductPicture& p, const Places& at) {
  const auto& [a, b, c] = p.matrix;
  const auto [row, col] = *p.element;
  if (!c.rows.holds(row) || !c.cols.holds(col)) return;
  const Rect element = box_of(at.area[2], c, {row, 1}, {col, 1}, at.cell);
  const Rect in_a = box_of(at.area[0], a, {row, 1}, a.cols, at.cell),
             in_b = box_of(at.area[1], b, b.rows, {col, 1}, at.cell);
  const float head = kHead * theme.type;
  for (const Rect& strip : {in_a, in_b}) canvas.stroke_rect(strip, theme.ink.with_alpha(0.7f), 1);
  canvas.line({in_a.right(), element.center().y}, {element.x, element.center().y}, theme.ink, 1, 3);
  // Not through C's title.
  canvas.line({element.center().x, in_b.bottom()}, {element.center().x, at.area[2].y - head + 4}, theme.ink,
              1, 3);
  canvas.line({element.center().x, at.area[2].y - 4}, {element.center().x, element.y}, theme.ink, 1, 3);
  const float grow = std::max(1.5f, 4 - at.cell / 2);
  canvas.stroke_rect({element.x - grow, element.y - grow, element.w + 2 * grow, element.h + 2 * grow},
                     theme.ink, 1.5f, 1);
}

// This step's pieces of A and B, on their way into the block of C or out of the picture.
void draw_pieces(Canvas& canvas, const Theme& theme, const ProductPicture& p, const Places& at) {
  if (p.motion >= 1) return;
  const Rect block = box_of(at.area[2], p.matrix[2], p.block_rows, p.block_cols, at.cell);
  for (const ProductPiece& piece : p.pieces) {
    const auto m = std::size_t(piece.matrix);
    const Rect from = box_of(at.area[m], p.matrix[m], piece.rows, piece.cols, at.cell);
    Rect to = block;  // a strip of A ends at the block's left edge, one of B at its upper edge
    if (!piece.to && piece.matrix == 0) to.w = from.w;
    if (!piece.to && piece.matrix == 1) to.h = from.h;
    if (piece.to) to = *piece.to;
    piece.back ? draw_travelling(canvas, theme, to, from, piece.color, p.motion)
               : draw_travelling(canvas, theme, from, to, piece.color, p.motion);
  }
}

ProductHit find_hit(Canvas& canvas, const ProductPicture& p, const Places& at) {
  constexpr const char* kNames[] = {"/a", "/b", "/c"};
  ProductHit found;
  for (int i = 0; i < 3; ++i) {
    const ProductMatrix& m = p.matrix[std::size_t(i)];
    const Rect area = at.area[std::size_t(i)];
    const Hit hit = canvas.hit(p.id + kNames[i], area);
    if (!hit.hovered) continue;
    const auto index = [&](float offset, Span span) {
      return std::clamp(span.first + std::int64_t(offset / at.cell), span.first, span.last());
    };
    found.matrix = i, found.clicked = hit.clicked;
    found.element = std::uint64_t(index(hit.pointer.y - area.y, m.rows) * m.all_cols +
                                  index(hit.pointer.x - area.x, m.cols));
  }
  return found;
}

// A stretch of `most` or fewer around `block`, beginning at one of its multiples where that is possible.
Span around(Span block, std::int64_t all, std::int64_t most) {
  const std::int64_t count = std::min(all, std::max(most, block.count));
  std::int64_t first = block.first - (count - block.count) / 2;
  if (block.count > 0) first -= (first % block.count + block.count) % block.count;
  first = std::clamp<std::int64_t>(first, 0, all - count);
  if (first + count < block.first + block.count) first = block.first + block.count - count;
  return {first, count};
}

}  // namespace

Color product_color(const Theme& theme, Color in_use, ProductCell cell) {
  switch (cell) {
    case ProductCell::idle:
      return theme.panel;
    case ProductCell::used:
      return mix(theme.panel, color::hbm, theme.dark ? 0.3f : 0.16f);
    case ProductCell::resident:
      return mix(theme.panel, color::shared, 0.4f);
    case ProductCell::in_use:
      return in_use;
    case ProductCell::loading:
      return color::hbm;
    case ProductCell::block:
      return mix(theme.panel, color::registers, theme.dark ? 0.24f : 0.26f);
    case ProductCell::warp:
      return mix(theme.panel, color::registers, 0.56f);
    case ProductCell::thread:
      return theme.dark ? color::registers : mix(color::registers, Color::hex(0), 0.18f);
  }
  return theme.panel;
}

Color product_sum_color(const Theme& theme, float sum) {
  return mix(theme.panel, color::registers, 0.16f + 0.84f * sum);
}

void draw_product_cells(Canvas& canvas, const Theme& theme, const std::string& id, Rect area,
                        const ProductMatrix& matrix, Color in_use, float cell) {
  draw_cells(canvas, theme, id, area, matrix, in_use, cell);
}

void draw_product_lanes(Canvas& canvas, const Theme& theme, Rect area, const ProductPicture& p, int matrix,
                        float cell) {
  const ProductMatrix& m = p.matrix[std::size_t(matrix)];
  for (const ProductLane& lane : p.lanes) {
    if (lane.matrix != matrix) continue;
    const Rect at = box_of(area, m, lane.rows, lane.cols, cell);
    if (at.w <= 0 || at.h <= 0) continue;
    canvas.fill_rect(at, color::current, cell >= kCellWithGap ? 2.f : 0.f);
    if (cell >= kCellWithGap) canvas.stroke_rect(at, theme.dark ? theme.ground : theme.ink, 1, 2);
  }
}

Vec2 product_room(const Theme& theme, Rect r) {
  return {std::max(1.f, r.w - kRowNumbers * theme.type - kGap), std::max(1.f, r.h - 2 * kHead * theme.type)};
}

ProductWindow product_window(Vec2 room, ProductSize all, Span block_rows, Span block_cols, std::int64_t trip,
                             std::int64_t now) {
  constexpr float kLeastCell = 1.f, kWindowCell = 2.f;
  if (room.x / float(all.k + all.n) >= kLeastCell && room.y / float(all.k + all.m) >= kLeastCell)
    return {{0, all.m}, {0, all.n}, {0, all.k}};
  const auto across = std::int64_t(room.x / kWindowCell), down = std::int64_t(room.y / kWindowCell);
  ProductWindow w;
  // Pages of k, so that the picture stands still for some trips; two trips ahead may be on their way.
  w.k.count = std::min(all.k, std::max(6 * trip, std::min(across, down) / 3));
  const std::int64_t page = std::max<std::int64_t>(1, w.k.count / 2);
  w.k.first = std::clamp<std::int64_t>(now / page * page, 0, all.k - w.k.count);
  w.m = around(block_rows, all.m, down - w.k.count), w.n = around(block_cols, all.n, across - w.k.count);
  return w;
}

ProductHit draw_product(Canvas& canvas, const Theme& theme, Rect r, ProductPicture p) {
  canvas.landmark("product", r);
  const Places at = places_of(theme, r, p);
  if (at.cell <= 0) return {};
  ProductHit hit = find_hit(canvas, p, at);
  hit.corner = at.corner, hit.below = at.below;
  const auto& [a, b, c] = p.matrix;
  if (hit.matrix == 2)
    p.element = {std::int64_t(hit.element) / c.all_cols, std::int64_t(hit.element) % c.all_cols};
  const float above = kHead * theme.type - 13 * theme.type;
  const std::int64_t tile_rows[] = {p.tile_rows, p.tile_k, p.tile_rows},
                     tile_cols[] = {p.tile_k, p.tile_cols, p.tile_cols};
  constexpr const char* kNames[] = {"/a", "/b", "/c"};
  for (std::size_t i = 0; i < 3; ++i) {
    draw_cells(canvas, theme, p.id + kNames[i], at.area[i], p.matrix[i], p.in_use, at.cell);
    draw_frame(canvas, theme, at.area[i], p.matrix[i], at.cell, tile_rows[i], tile_cols[i]);
  }
  draw_numbers(canvas, theme, at.area[0], a.rows, at.cell, p.tile_rows, false);
  draw_numbers(canvas, theme, at.area[0], a.cols, at.cell, p.tile_k, true);
  draw_numbers(canvas, theme, at.area[1], b.rows, at.cell, p.tile_k, false);
  draw_numbers(canvas, theme, at.area[1], b.cols, at.cell, p.tile_cols, true);
  const float left = std::min(at.area[0].x, at.area[1].x - kGap - 90 * theme.type);
  draw_title(canvas, theme, {left, at.area[0].y - above}, a, at.area[1].x - left - 8);
  draw_title(canvas, theme, {at.area[1].x, at.area[1].y - above}, b, r.right() - at.area[1].x);
  draw_title(canvas, theme, {at.area[2].x, at.area[2].y - above}, c, r.right() - at.area[2].x);
  for (const ProductBox& box : p.boxes) {
    const auto m = std::size_t(box.matrix);
    const Rect edge = box_of(at.area[m], p.matrix[m], box.rows, box.cols, at.cell);
    const float out = box.width / 2;  // around the cells, so that a narrow strip keeps its colour
    if (edge.w > 0 && edge.h > 0)
      canvas.stroke_rect({edge.x - out, edge.y - out, edge.w + 2 * out, edge.h + 2 * out}, box.color,
                         box.width, 1);
  }
  if (p.element) draw_lines(canvas, theme, p, at);
  for (int i = 0; i < 3; ++i) draw_product_lanes(canvas, theme, at.area[std::size_t(i)], p, i, at.cell);
  draw_pieces(canvas, theme, p, at);
  return hit;
}

}  // namespace lockstep
