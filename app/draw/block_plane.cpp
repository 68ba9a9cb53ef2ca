#include "block_plane.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "canvas_story.hpp"

namespace lockstep {
namespace {

constexpr float kLargestCell = 30, kLeastWithWarps = 6;  // px; below that only the shades tell warps apart
constexpr Color kInk = Color::hex(0x1E2124);             // around what is picked: on yellow, in both themes
enum Shade : std::uint8_t { kNothing, kBeyond, kOther, kOtherOdd, kBlock, kBlockOdd, kWarp, kNow };

TextStyle label_style(const Theme& theme, Align align) {
  return {Font::mono, 10 * theme.type, theme.dim, align};
}

// The room that labels take: left of the cells, and above them with the title.
float left_room(const Canvas& canvas, const Theme& theme, const BlockPlane& p) {
  float widest = canvas.measure(p.left_name, label_style(theme, Align::right));
  for (const PlaneLabel& label : p.left)
    widest = std::max(widest, canvas.measure(label.text, label_style(theme, Align::right)));
  return widest + 10 * theme.type;
}
float top_room(const Theme& theme) { return 40 * theme.type; }

struct Frame {
  float x = 0, y = 0, w = 0, h = 0;  // of a cell
  Rect cells(int row, int col, int cols) const {
    return {x + float(col) * w, y + float(row) * h, float(cols) * w, h};
  }
};

Frame frame_of(const Canvas& canvas, const Theme& theme, Rect r, const BlockPlane& p) {
  const auto whole = [](float side) { return side >= 4 ? std::floor(side) : side; };
  const float left = left_room(canvas, theme, p), most = kLargestCell * theme.type;
  float w = std::min(whole((r.w - left) / float(p.cols)), most);
  float h = std::min(whole((r.h - top_room(theme)) / float(p.rows)), most);
  if (p.square) w = h = std::min(w, h);
  return {r.x + left, r.y + top_room(theme), w, h};
}

const PlaneCell& cell_at(const BlockPlane& p, int row, int col) {
  return p.cells[std::size_t(row * p.cols + col)];
}

Shade shade_of(const BlockPlane& p, const PlaneCell& c) {
  if (c.block < 0) return kNothing;
  if (c.beyond) return kBeyond;
  if (c.now) return kNow;
  if (c.warp < 0) return c.block % 2 ? kOtherOdd : kOther;
  if (c.warp == p.followed_warp) return kWarp;
  return c.warp % 2 ? kBlockOdd : kBlock;
}

std::array<Color, 256> table_of(const Theme& theme) {
  const PlaneColors c = plane_colors(theme);
  std::array<Color, 256> table;
  table.fill(theme.panel);
  table[kNothing] = theme.panel.with_alpha(0), table[kBeyond] = theme.soft;
  table[kOther] = c.other, table[kOtherOdd] = c.other_odd;
  table[kBlock] = c.block, table[kBlockOdd] = c.block_odd, table[kWarp] = c.warp, table[kNow] = c.now;
  return table;
}

// Where neighbours differ, by `differ(cell, cell)`: lines as long as they go.
template <class F>
void draw_borders(Canvas& canvas, const BlockPlane& p, const Frame& f, Color color, float width, F differ) {
  const PlaneCell outside;
  const auto at = [&](int row, int col) -> const PlaneCell& {
    return row < 0 || col < 0 || row >= p.rows || col >= p.cols ? outside : cell_at(p, row, col);
  };
  const auto runs = [&](int lines, int length, auto separated, auto draw) {
    for (int line = 0; line <= lines; ++line)
      for (int i = 0; i < length;) {
        const int first = i;
        while (i < length && separated(line, i)) ++i;
        if (i > first)
          draw(line, first, i);
        else
          ++i;
      }
  };
  runs(
      p.rows, p.cols, [&](int row, int col) { return differ(at(row - 1, col), at(row, col)); },
      [&](int row, int from, int to) {
        const float y = f.y + float(row) * f.h;
        canvas.line({f.x + float(from) * f.w, y}, {f.x + float(to) * f.w, y}, color, width);
      });
  runs(
      p.cols, p.rows, [&](int col, int row) { return differ(at(row, col - 1), at(row, col)); },
      [&](int col, int from, int to) {
        const float x = f.x + float(col) * f.w;
        canvas.line({x, f.y + float(from) * f.h}, {x, f.y + float(to) * f.h}, color, width);
      });
}

// What stands beyond the edge: one stroke through each run of a row.
void strike_beyond(Canvas& canvas, const Theme& theme, const BlockPlane& p, const Frame& f) {
  for (int row = 0; row < p.rows; ++row)
    for (int col = 0; col < p.cols;) {
      const int first = col;
      while (col < p.cols && cell_at(p, row, col).beyond) ++col;
      if (col == first) {
        ++col;
        continue;
      }
      const Rect run = f.cells(row, first, col - first);
      canvas.line({run.x + 2, run.center().y}, {run.right() - 2, run.center().y},
                  mix(theme.soft, theme.dim, 0.6f), 1);
    }
}

// Those that do not touch the one before.
void draw_labels(Canvas& canvas, const Theme& theme, Rect r, const BlockPlane& p, const Frame& f) {
  const float type = theme.type;
  canvas.landmark(kScale, {r.x, f.y - 30 * type, r.w, 30 * type});
  canvas.landmark(kScale, {r.x, f.y, f.x - r.x, r.bottom() - f.y});
  float until = r.x;
  for (const PlaneLabel& label : p.top) {
    const float x = f.x + label.at * f.w,
                half = canvas.measure(label.text, label_style(theme, Align::center)) / 2;
    if (x - half < until + 5) continue;
    canvas.text({x, f.y - 8 * type}, label.text, label_style(theme, Align::center));
    until = x + half;
  }
  until = f.y - 7 * type;
  for (const PlaneLabel& label : p.left) {
    const float y = f.y + label.at * f.h;
    if (y - 6 * type < until) continue;
    canvas.text_fit({f.x - 7 * type, y}, label.text, label_style(theme, Align::right), f.x - 7 * type - r.x);
    until = y + 6 * type;
  }
  canvas.text_fit({f.x, f.y - 22 * type}, p.top_name, {Font::mono, 10 * type, theme.dim}, r.right() - f.x);
  if (!p.left_name.empty())
    canvas.text_fit({f.x - 7 * type, f.y - 8 * type}, p.left_name, label_style(theme, Align::right),
                    f.x - 7 * type - r.x);
}

}  // namespace

PlaneColors plane_colors(const Theme& theme) {
  const auto tint = [&](float t) { return mix(theme.panel, color::hbm, t); };
  return theme.dark
             ? PlaneColors{tint(0.22f), tint(0.30f), tint(0.52f), tint(0.62f), tint(0.8f), color::hbm}
             : PlaneColors{tint(0.10f), tint(0.17f), tint(0.34f), tint(0.44f), tint(0.66f), color::hbm};
}

std::pair<int, int> block_plane_room(const Theme& theme, Rect r, float least, int digits) {
  const float left = (10 + 6.2f * float(digits)) * theme.type;  // of the labels' type
  return {std::max(1, int((r.w - left) / least)), std::max(1, int((r.h - top_room(theme)) / least))};
}

Rect plane_cell_rect(const Canvas& canvas, const Theme& theme, Rect r, const BlockPlane& plane, int row,
                     int col) {
  return frame_of(canvas, theme, r, plane).cells(row, col, 1);
}

PlaneHit draw_block_plane(Canvas& canvas, const Theme& theme, Rect r, const BlockPlane& plane) {
  canvas.landmark("blocks", r);
  if (plane.cols <= 0 || plane.rows <= 0) return {};
  canvas.text_fit({r.x, r.y + 8 * theme.type}, plane.title,
                  {Font::words_semibold, 12.5f * theme.type, theme.ink}, r.w);
  const Frame f = frame_of(canvas, theme, r, plane);
  std::vector<std::uint8_t> shades;
  for (const PlaneCell& cell : plane.cells) shades.push_back(shade_of(plane, cell));
  const Rect all{f.x, f.y, f.w * float(plane.cols), f.h * float(plane.rows)};
  canvas.grid(plane.id, all, plane.cols, plane.rows, shades, table_of(theme));
  strike_beyond(canvas, theme, plane, f);
  if (std::min(f.w, f.h) >= kLeastWithWarps)
    draw_borders(
        canvas, plane, f, mix(theme.panel, theme.dim, 0.8f), 1,
        [](const PlaneCell& a, const PlaneCell& b) { return a.block == b.block && a.warp != b.warp; });
  draw_borders(canvas, plane, f, mix(theme.panel, theme.ink, 0.75f), 1,
               [](const PlaneCell& a, const PlaneCell& b) { return a.block != b.block; });
  const float frame = std::min(2.f, 0.2f * std::min(f.w, f.h) + 0.5f);
  for (const auto& [row, col] : plane.also_picked)
    canvas.stroke_rect(f.cells(row, col, 1), color::current, frame, 1);
  if (plane.picked) {
    const Rect cell = f.cells(plane.picked->first, plane.picked->second, 1);
    canvas.fill_rect(cell.inset(-1.5f), kInk, 1.5f);
    canvas.fill_rect(cell, color::current, 1);
  }
  draw_labels(canvas, theme, r, plane, f);
  const Hit hit = canvas.hit(plane.id, all);
  if (!hit.hovered || f.w <= 0 || f.h <= 0) return {};
  return {{{std::clamp(int((hit.pointer.y - f.y) / f.h), 0, plane.rows - 1),
            std::clamp(int((hit.pointer.x - f.x) / f.w), 0, plane.cols - 1)}},
          hit.clicked};
}

}  // namespace lockstep
