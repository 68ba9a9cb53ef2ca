#include "row_bars.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "plot.hpp"

namespace lockstep {
namespace {

constexpr float kAxis = 44, kBeside = 92;  // left of the bars and right of them
constexpr float kTitle = 22;

Rect bars_area(Rect r, float type) {
  const float beside = std::min(kBeside * type, r.w * 0.24f), axis = std::min(kAxis * type, r.w * 0.14f);
  return {r.x + axis, r.y + kTitle * type, r.w - axis - beside, r.h - kTitle * type - 2};
}

struct Frame {
  Rect area;
  double bottom, top;
  std::int64_t columns;
  float x(std::int64_t column) const {
    return area.x + area.w * float(double(column) / double(std::max<std::int64_t>(1, columns)));
  }
  float y(double value) const {
    const double share = std::clamp((value - bottom) / (top - bottom), 0.0, 1.0);
    return area.bottom() - area.h * float(share);
  }
};

void draw_titles(Canvas& canvas, const Theme& theme, Rect r, const std::string& title,
                 const std::string& subtitle) {
  const float type = theme.type, y = r.y + 8 * type;
  const TextStyle head{Font::words_semibold, 12.5f * type, theme.ink};
  canvas.text_fit({r.x, y}, title, head, r.w);
  const float taken = canvas.measure(title, head) + 14 * type;
  if (r.w - taken > 60 * type)
    canvas.text_fit({r.x + taken, y}, subtitle, {Font::words, 11.5f * type, theme.dim}, r.w - taken);
}

bool trouble(double value) { return std::isnan(value) || (std::isinf(value) && value > 0); }

// The bar that stands for columns first .. last - 1: the highest, or one that is no number.
std::size_t tallest(const std::vector<RowBar>& bars, std::size_t first, std::size_t last) {
  std::size_t best = first;
  for (std::size_t c = first; c < last; ++c) {
    if (trouble(bars[c].value)) return c;
    if (bars[c].value > bars[best].value) best = c;
  }
  return best;
}

void draw_lit(Canvas& canvas, const Theme& theme, const Frame& f, const RowBarsPicture& p) {
  if (p.now.count <= 0) return;
  const float x0 = f.x(p.now.first), x1 = f.x(p.now.first + p.now.count);
  if (p.now.count < f.columns) canvas.fill_rect({x0, f.area.y, x1 - x0, f.area.h}, theme.highlight);
  canvas.fill_rect({x0, f.area.bottom() - 1, x1 - x0, 4}, color::current, 1);
}

void draw_tile_lines(Canvas& canvas, const Theme& theme, const Frame& f, std::int64_t tile) {
  if (tile <= 0 || f.area.w * float(tile) < 7 * float(f.columns)) return;
  for (std::int64_t c = tile; c < f.columns; c += tile)
    canvas.line({f.x(c), f.area.y}, {f.x(c), f.area.bottom()}, theme.line);
}

}  // namespace

Color row_before_color(const Theme& theme) { return mix(theme.panel, theme.dim, 0.32f); }

namespace {

void draw_bars_of(Canvas& canvas, const Theme& theme, const Frame& f, const RowBarsPicture& p) {
  if (p.bars.empty()) return;
  const std::size_t n = p.bars.size(), bins = std::min(n, std::size_t(std::max(1.f, f.area.w / 2)));
  const float w = f.area.w / float(bins), gap = w >= 4 ? 1.f : w >= 2.5f ? 0.5f : 0.f;
  for (std::size_t b = 0; b < bins; ++b) {
    const std::size_t first = b * n / bins, last = std::max(first + 1, (b + 1) * n / bins);
    const RowBar& bar = p.bars[tallest(p.bars, first, last)];
    const float x = f.area.x + float(b) * w;
    if (trouble(bar.value)) {
      canvas.fill_rect({x, f.area.y, w - gap, f.area.h}, color::trouble);
      continue;
    }
    if (!p.before.empty()) {
      const double was = *std::max_element(p.before.begin() + std::ptrdiff_t(first),
                                           p.before.begin() + std::ptrdiff_t(last));
      if (std::isfinite(was) && was > bar.value && f.y(bar.value) - f.y(was) > 1)
        canvas.fill_rect({x, f.y(was), w - gap, f.y(bar.value) - f.y(was)}, row_before_color(theme));
    }
    if (bar.value == -INFINITY) continue;
    const float zero = f.y(0), y = f.y(bar.value), high = std::max(1.f, std::abs(y - zero));
    canvas.fill_rect({x, bar.value < 0 ? zero : zero - high, w - gap, high}, bar.color);
  }
  if (p.bottom < 0) canvas.line({f.area.x, f.y(0)}, {f.area.right(), f.y(0)}, theme.ink, 1);
}

void draw_level_line(Canvas& canvas, const Frame& f, const RowBarsPicture& p) {
  std::vector<Vec2> points;
  for (const RowLevel& level : p.line) {
    if (!std::isfinite(level.value)) continue;
    const float y = f.y(level.value), end = f.x(level.cols.first + level.cols.count);
    if (!points.empty() && std::abs(points.back().y - y) < 0.05f) {  // one stroke for what is level
      points.back().x = end;
      continue;
    }
    points.push_back({f.x(level.cols.first), y});
    points.push_back({end, y});
  }
  if (points.empty()) return;
  canvas.polyline(points, p.line_color, 2);
  if (points.back().x < f.area.right() - 4)
    canvas.line(points.back(), {f.area.right(), points.back().y}, p.line_color, 1.2f, 3);
}

// "0.5", "2e29"
std::string axis_text(double value) {
  if (std::abs(value) < 1e6) return tick_text(value);
  char text[32];
  std::snprintf(text, sizeof text, "%.0e", value);
  std::string short_text(text);
  std::erase(short_text, '+');
  return short_text;
}

void draw_axis(Canvas& canvas, const Theme& theme, const Frame& f, const RowBarsPicture& p) {
  const float type = theme.type;
  canvas.line({f.area.x, f.area.bottom()}, {f.area.right(), f.area.bottom()}, theme.line);
  const int most = std::clamp(int(f.area.h / (30 * type)), 1, 5);
  const auto ticks = p.ticks.empty() ? ticks_of({"", p.bottom, p.top}, most) : p.ticks;
  float last = f.area.bottom() + 100;
  for (double v : ticks) {
    const float y = f.y(v);
    if (last - y < 13 * type || y - f.area.y < -2) continue;
    last = y;
    canvas.line({f.area.x - 3, y}, {f.area.x, y}, theme.line);
    canvas.text_fit({f.area.x - 6, y}, axis_text(v), {Font::mono, 9.5f * type, theme.dim, Align::right},
                    kAxis * type - 8);
  }
}

void draw_labels(Canvas& canvas, const Theme& theme, const Frame& f, Rect r, const RowBarsPicture& p) {
  const float type = theme.type, least = 17 * type, half = 7 * type;
  float previous = -1e9f;
  std::vector<const RowLabel*> sorted;
  for (const RowLabel& label : p.labels) sorted.push_back(&label);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const RowLabel* a, const RowLabel* b) { return a->value > b->value; });
  const float lowest = f.area.bottom() - half;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const float room = lowest - float(sorted.size() - 1 - i) * least;
    const float wanted = std::isfinite(sorted[i]->value) ? f.y(sorted[i]->value) : f.area.bottom();
    const float y =
        std::max(std::clamp(wanted, f.area.y + half, std::max(f.area.y + half, room)), previous + least);
    if (y > lowest + 1 && i > 0) break;
    previous = y;
    canvas.text_fit({f.area.right() + 8 * type, y}, sorted[i]->text,
                    {Font::mono_semibold, 11.5f * type, theme.readable(sorted[i]->color)},
                    r.right() - f.area.right() - 8 * type);
  }
}

Frame frame_of(Rect r, float type, std::int64_t columns, double bottom = 0, double top = 1) {
  return {bars_area(r, type), bottom, top, columns};
}

std::optional<std::int64_t> column_at(const Frame& f, Vec2 pointer) {
  if (f.columns <= 0 || f.area.w <= 0) return {};
  const auto c = std::int64_t(double(pointer.x - f.area.x) / f.area.w * double(f.columns));
  return std::clamp<std::int64_t>(c, 0, f.columns - 1);
}

}  // namespace

Rect row_bars_columns(const Theme& theme, Rect r, const RowBarsPicture& p, Span columns) {
  const Frame f = frame_of(r, theme.type, p.bars.empty() ? p.columns : std::int64_t(p.bars.size()));
  const float x = f.x(columns.first);
  return {x, f.area.y, f.x(columns.first + columns.count) - x, f.area.h};
}

RowHit draw_row_bars(Canvas& canvas, const Theme& theme, Rect r, const RowBarsPicture& p) {
  canvas.landmark("row", r);
  draw_titles(canvas, theme, r, p.title, p.subtitle);
  const Frame f =
      frame_of(r, theme.type, p.bars.empty() ? p.columns : std::int64_t(p.bars.size()), p.bottom, p.top);
  if (f.area.h < 12 || f.area.w < 24) return {};
  canvas.fill_rect({f.area.x - 1, f.area.y - 2, f.area.w + 2, f.area.h + 2}, theme.panel, 2);
  if (!p.empty.empty()) {
    canvas.line({f.area.x, f.area.bottom()}, {f.area.right(), f.area.bottom()}, theme.line);
    canvas.text_fit(f.area.center(), p.empty, {Font::words, 11.5f * theme.type, theme.dim, Align::center},
                    f.area.w - 8);
    return {};
  }
  draw_lit(canvas, theme, f, p);
  draw_tile_lines(canvas, theme, f, p.tile);
  draw_bars_of(canvas, theme, f, p);
  draw_level_line(canvas, f, p);
  draw_axis(canvas, theme, f, p);
  draw_labels(canvas, theme, f, r, p);
  const Hit hit = canvas.hit(p.id, f.area);
  return {hit.hovered ? column_at(f, hit.pointer) : std::nullopt, hit.clicked};
}

float row_shares_height(const Theme& theme) { return (kTitle + 24) * theme.type; }

std::optional<std::size_t> draw_row_shares(Canvas& canvas, const Theme& theme, Rect r,
                                           const RowSharesPicture& p) {
  const float type = theme.type;
  draw_titles(canvas, theme, r, p.title, "");
  const Frame f = frame_of(r, type, p.columns);
  const Rect row{f.area.x, f.area.y, f.area.w, std::min(f.area.h, 22 * type)};
  TextStyle style{Font::mono, 10.5f * type, theme.ink, Align::center};
  for (const RowShare& s : p.shares) {
    const float x0 = f.x(s.cols.first), w = std::max(1.f, f.x(s.cols.first + s.cols.count) - x0);
    const Rect cell{x0 + (w > 4 ? 1.f : 0.f), row.y, w - (w > 4 ? 2.f : 0.f), row.h};
    canvas.fill_rect(cell, theme.soft, w > 8 ? 3.f : 0.f);
    const float share = float(std::clamp(std::isfinite(s.value) ? s.value : 0.0, 0.0, 1.0));
    const Color fill =
        mix(theme.panel, p.color, s.strong ? 0.5f : 0.25f);  // its edge must not strike a number out
    if (share > 0)
      canvas.fill_rect({cell.x, cell.bottom() - cell.h * share, cell.w, cell.h * share}, fill,
                       w > 8 ? 3.f : 0.f);
    if (s.now) canvas.stroke_rect(cell, color::current, 2.5f, w > 8 ? 3.f : 0.f);
    if (canvas.measure(s.text, style) <= cell.w - 4) canvas.text(cell.center(), s.text, style);
  }
  const Hit hit = canvas.hit(p.id, row);
  const auto column = hit.hovered ? column_at(f, hit.pointer) : std::nullopt;
  if (!column) return {};
  for (std::size_t i = 0; i < p.shares.size(); ++i)
    if (p.shares[i].cols.holds(*column)) return i;
  return {};
}

// --- rows
// ------------------------------------------------------------------------------------------------------

namespace {

constexpr float kListTitle = 44, kMostRow = 22, kLeastRow = 9;

float row_height(const Theme& theme, Rect r, std::size_t rows) {
  const float room = r.h - kListTitle * theme.type;
  return std::clamp(room / float(std::max<std::size_t>(1, rows)), kLeastRow, kMostRow * theme.type);
}

// From the panel to the colour; the last entry is trouble.
std::array<Color, 256> shades_of(const Theme& theme, Color level) {
  std::array<Color, 256> table;
  for (int i = 0; i < 256; ++i) table[std::size_t(i)] = mix(theme.soft, level, float(i) / 254);
  table[255] = mix(theme.soft, color::trouble, 0.7f);
  return table;
}

}  // namespace

int row_list_room(const Theme& theme, Rect r) {
  return std::max(1, int((r.h - kListTitle * theme.type) / kLeastRow));
}

RowListHit draw_row_list(Canvas& canvas, const Theme& theme, Rect r, const RowListPicture& p) {
  const float type = theme.type;
  canvas.text_fit({r.x, r.y + 8 * type}, p.title, {Font::words_semibold, 12.5f * type, theme.ink}, r.w);
  canvas.text_fit(
      {r.x, r.y + 26 * type}, canvas.interactive() ? p.subtitle : p.subtitle_on_paper,
      {Font::words, 11.5f * type, p.subtitle_is_trouble ? theme.readable(color::trouble) : theme.dim}, r.w);
  if (p.rows.empty()) return {};
  const float h = row_height(theme, r, p.rows.size()), number = 34 * type, word = 34 * type;
  const bool words = h >= 12 * type;
  const Rect cells{r.x + number, r.y + kListTitle * type, r.w - number - word, h * float(p.rows.size())};
  std::vector<std::uint8_t> values;
  for (const RowEntry& entry : p.rows)
    for (std::size_t c = 0; c < kRowShades; ++c)
      values.push_back(!entry.trouble.empty()    ? std::uint8_t{255}
                       : c < entry.shades.size() ? std::min<std::uint8_t>(entry.shades[c], 254)
                                                 : std::uint8_t{0});
  const auto colors = shades_of(theme, p.color);
  canvas.grid(p.id + "/cells", cells, kRowShades, int(p.rows.size()), values, colors, h >= 12 ? 2.f : 0.f);
  float last = -1e9f;
  for (std::size_t i = 0; i < p.rows.size(); ++i) {
    const RowEntry& entry = p.rows[i];
    const float y = cells.y + (float(i) + 0.5f) * h;
    if (entry.beside) canvas.fill_rect({cells.x - 6, y - h / 2 + 1, 3, h - 2}, theme.dim, 1);
    if (entry.followed) canvas.stroke_rect({cells.x - 1, y - h / 2, cells.w + 2, h}, theme.ink, 1.5f, 2);
    if (entry.followed || words || y - last >= 14 * type) {
      if (!words && y - last < 14 * type) continue;
      last = y;
      canvas.text_fit({cells.x - 10, y}, std::to_string(entry.row),
                      {entry.followed ? Font::mono_semibold : Font::mono, 9.5f * type,
                       entry.followed ? theme.ink : theme.dim, Align::right},
                      number - 10);
      if (!entry.trouble.empty())
        canvas.text_fit({cells.right() + 7, y}, entry.trouble,
                        {Font::mono_semibold, 9.5f * type, theme.readable(color::trouble)}, word - 8);
    }
  }
  const Hit hit = canvas.hit(p.id, {r.x, cells.y, r.w, cells.h});
  if (!hit.hovered) return {};
  const auto i = std::size_t(std::clamp((hit.pointer.y - cells.y) / h, 0.f, float(p.rows.size()) - 1));
  return {i, hit.clicked};
}

// --- passes
// ----------------------------------------------------------------------------------------------------

float pass_counts_height(const Theme& theme, std::size_t rows) {
  return (44 + 23 * float(rows)) * theme.type;
}

void draw_pass_counts(Canvas& canvas, const Theme& theme, Rect r, const std::string& title,
                      const std::string& subtitle, const std::vector<PassCount>& rows, Color level) {
  const float type = theme.type, step = 23 * type, side = 13 * type;
  canvas.text_fit({r.x, r.y + 8 * type}, title, {Font::words_semibold, 12.5f * type, theme.ink}, r.w);
  canvas.text_fit({r.x, r.y + 26 * type}, subtitle, {Font::words, 11.5f * type, theme.dim}, r.w);
  float widest = 0;
  for (const PassCount& row : rows)
    widest = std::max(widest, canvas.measure(row.name, {Font::words_semibold, 12.5f * type, theme.ink}));
  const float boxes_x = r.x + std::min(widest + 14 * type, r.w * 0.42f);
  float y = r.y + 44 * type + step / 2;
  for (const PassCount& row : rows) {
    const bool own = row.counted.has_value();
    canvas.text_fit({r.x, y}, row.name,
                    {own ? Font::words_semibold : Font::words, 12.5f * type, own ? theme.ink : theme.dim},
                    boxes_x - r.x - 8);
    const int boxes = std::max(row.stated, own ? int(std::ceil(*row.counted - 1e-9)) : 0);
    float x = boxes_x;
    for (int i = 0; i < boxes; ++i, x += side + 4 * type) {
      if (x + side > r.right()) break;
      const Rect box{x, y - side / 2, side, side};
      canvas.fill_rect(box, theme.soft, 2);
      const float share = own ? float(std::clamp(*row.counted - i, 0.0, 1.0)) : 0;
      if (share > 0) canvas.fill_rect({box.x, box.y, box.w * share, box.h}, level, 2);
      canvas.stroke_rect(box, own ? level : mix(theme.panel, level, 0.5f), 1, 2);
    }
    canvas.text_fit(
        {r.right(), y}, row.figure,
        {own ? Font::mono_semibold : Font::mono, 11.5f * type, own ? theme.ink : theme.dim, Align::right},
        r.right() - x - 4 * type);
    y += step;
  }
}

}  // namespace lockstep
