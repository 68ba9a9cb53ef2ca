#include "attention_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "language.hpp"
#include "number_text.hpp"
#include "travel.hpp"

namespace lockstep {

namespace attention_cell {
constexpr std::uint8_t kScore = 4;
std::uint8_t score(double share) {
  if (!(share > 0)) return kScore;
  return std::uint8_t(kScore + std::lround(std::min(share, 1.0) * (255 - kScore)));
}
}  // namespace attention_cell

Color held_color(const Theme& theme) { return mix(theme.panel, color::shared, 0.45f); }

namespace {

constexpr float kStrip = 16, kRowColumn = 33, kOutput = 60, kBelow = 48, kNumbers = 28, kGapX = 10;
constexpr float kWiderColumn = 26, kWiderOutput = 60;  // at most

std::string n(std::int64_t x) { return std::to_string(x); }

struct Frame {
  Rect q, k, v, scores, output;
  std::array<Rect, 3> columns;
  std::vector<Rect> below;  // outputs of keys
  bool rows = false;
  float right = 0;
};

std::int64_t outputs_of(const AttentionPicture& p, bool of_keys) {
  return std::count_if(p.outputs.begin(), p.outputs.end(),
                       [of_keys](const AttentionOutput& o) { return o.of_keys == of_keys; });
}

int columns_shown(const AttentionPicture& p) {
  return int(std::count_if(p.columns.begin(), p.columns.end(),
                           [](const AttentionColumn& c) { return !c.name.empty(); }));
}

// How wide the columns beside the scores are, without the scores themselves.
float beside(const AttentionPicture& p, float type, bool rows) {
  return kNumbers * type + (kStrip + 8) * type +
         (rows ? float(columns_shown(p)) * (kRowColumn * type + 4) + kGapX : 0) +
         (outputs_of(p, false) ? kOutput * type + kGapX : 0);
}

Frame frame_of(const Theme& theme, Rect r, const AttentionPicture& p) {
  const float type = theme.type, above = 22 * type + 2 * (kStrip + 8) * type + 20 * type;
  const float each = std::clamp((r.h - above) / 5 - 8 * type, 16 * type, kBelow * type) + 8 * type;
  const float below = float(outputs_of(p, true)) * each;
  Frame f;
  f.rows = !p.rows.empty(), f.right = r.right();
  float edge = std::min(r.w - beside(p, type, f.rows), r.h - above - below);
  if (f.rows && edge < 85 * type) {
    f.rows = false;
    edge = std::min(r.w - beside(p, type, false), r.h - above - below);
  }
  edge = std::max(edge, 40.f);
  // What a low picture leaves of the width makes the columns wider.
  const float spare = std::max(0.f, r.w - beside(p, type, f.rows) - edge);
  const int columns = std::max(1, columns_shown(p));
  const float column = kRowColumn * type + std::min(kWiderColumn * type, spare / 2 / float(columns)),
              output = kOutput * type + std::min(kWiderOutput * type, spare / 2);
  f.scores = {r.x + kNumbers * type + (kStrip + 8) * type, r.y + above, edge, edge};
  f.q = {f.scores.x - (kStrip + 8) * type, f.scores.y, kStrip * type, edge};
  f.v = {f.scores.x, f.scores.y - (kStrip + 22) * type, edge, kStrip * type};
  f.k = {f.scores.x, f.v.y - (kStrip + 8) * type, edge, kStrip * type};
  float x = f.scores.right() + kGapX;
  for (std::size_t i = 0; i < f.columns.size(); ++i) {
    const bool drawn = f.rows && !p.columns[i].name.empty();
    f.columns[i] = {x, f.scores.y, drawn ? column : 0, edge};
    x += drawn ? column + 4 : 0;
  }
  if (outputs_of(p, false))
    f.output = {x + (f.rows ? kGapX : 0), f.scores.y, std::max(20.f, std::min(output, r.right() - x - kGapX)),
                edge};
  float y = f.scores.bottom() + 8 * type;
  for (std::int64_t i = 0; i < outputs_of(p, true); ++i, y += each)
    f.below.push_back({f.scores.x, y, edge, each - 8 * type});
  return f;
}

Rect part_of(Rect whole, std::int64_t seq, Span rows, Span cols) {
  const float s = float(std::max<std::int64_t>(1, seq));
  return {whole.x + whole.w * float(cols.first) / s, whole.y + whole.h * float(rows.first) / s,
          whole.w * float(cols.count) / s, whole.h * float(rows.count) / s};
}

// A matrix of which each tile is a piece: those done, the one in use, those that wait in shared memory.
void draw_strip(Canvas& canvas, const Theme& theme, Rect r, const std::string& name,
                const AttentionPicture& p, bool across, Span now, bool in_use, std::int64_t tile, bool loads,
                const std::vector<Span>& held) {
  const float type = theme.type;
  canvas.fill_rect(r, mix(theme.panel, color::hbm, 0.18f));
  for (const Span& tile_held : held)
    if (tile_held.first != now.first)
      canvas.fill_rect(part_of(r, p.seq, {0, p.seq}, tile_held), held_color(theme));
  if (now.count > 0) {
    const Span all{0, p.seq};
    const Rect piece = across ? part_of(r, p.seq, all, now) : part_of(r, p.seq, now, all);
    Rect filled = piece;  // while it is on its way, only a part is there
    if (loads && across) filled.w *= std::clamp(p.motion, 0.f, 1.f);
    if (loads && !across) filled.h *= std::clamp(p.motion, 0.f, 1.f);
    if (loads) canvas.fill_rect(piece, color::hbm);
    canvas.fill_rect(filled, in_use ? color::shared : held_color(theme));
    if (in_use) canvas.stroke_rect(piece, color::current, 2);
  }
  canvas.stroke_rect(r, theme.line);
  const float edge = across ? r.w : r.h, step = edge * float(tile) / float(std::max<std::int64_t>(1, p.seq));
  if (tile > 0 && step >= 4)
    for (float at = step; at < edge - 1; at += step)
      across ? canvas.line({r.x + at, r.y}, {r.x + at, r.bottom()}, theme.line)
             : canvas.line({r.x, r.y + at}, {r.right(), r.y + at}, theme.line);
  const TextStyle label{Font::words_semibold, 12.5f * type, theme.ink, across ? Align::right : Align::center};
  canvas.text(across ? Vec2{r.x - 8 * type, r.center().y} : Vec2{r.center().x, r.y - 10 * type}, name, label);
}

void draw_numbers_along(Canvas& canvas, const Theme& theme, const Frame& f, std::int64_t seq,
                        std::int64_t tile_q, std::int64_t tile_k) {
  const float type = theme.type;
  const TextStyle style{Font::mono, 9.5f * type, theme.dim, Align::center};
  const auto step_of = [&](std::int64_t tile, float room) {
    std::int64_t step = std::max<std::int64_t>(1, tile);
    while (f.scores.w * float(step) / float(seq) < room) step *= 2;
    return step;
  };
  for (std::int64_t col = 0, step = step_of(tile_k, 30 * type); col < seq; col += step)
    canvas.text({f.scores.x + f.scores.w * float(col) / float(seq), f.scores.y - 10 * type}, n(col), style);
  TextStyle right = style;
  right.align = Align::right;
  for (std::int64_t row = 0, step = step_of(tile_q, 16 * type); row < seq; row += step)
    canvas.text({f.q.x - 6, f.scores.y + f.scores.h * float(row) / float(seq) + 4 * type}, n(row), right);
}

void draw_scores(Canvas& canvas, const Theme& theme, const Frame& f, const AttentionPicture& p) {
  const float type = theme.type;
  std::array<Color, 256> colors;
  for (int i = 0; i < 256; ++i) colors[std::size_t(i)] = attention_color(theme, std::uint8_t(i));
  canvas.fill_rect(f.scores, theme.panel);
  if (std::int64_t(p.values.size()) == p.cells * p.cells && p.cells > 0)
    canvas.grid(p.id + "/scores", f.scores, int(p.cells), int(p.cells), p.values, colors,
                f.scores.w / float(p.cells) >= 9 ? 1.f : 0.f);
  const auto lines = [&](std::int64_t tile, bool down) {
    const float step = f.scores.w * float(tile) / float(std::max<std::int64_t>(1, p.seq));
    if (tile <= 0 || step < 5) return;
    for (float at = step; at < f.scores.w - 1; at += step)
      down ? canvas.line({f.scores.x + at, f.scores.y}, {f.scores.x + at, f.scores.bottom()}, theme.line)
           : canvas.line({f.scores.x, f.scores.y + at}, {f.scores.right(), f.scores.y + at}, theme.line);
  };
  lines(p.tile_k, true), lines(p.tile_q, false);
  canvas.stroke_rect(f.scores, theme.line);
  if (p.block_rows.count > 0 && p.block_rows.count < p.seq)
    canvas.stroke_rect(part_of(f.scores, p.seq, p.block_rows, {0, p.seq}), theme.ink, 1.5f);
  for (const AttentionShare& share : p.shares) {
    const Rect part = part_of(f.scores, p.seq, share.rows, share.cols);
    canvas.stroke_rect(part, theme.ink, 1, 0);
    const TextStyle style{Font::words_semibold, 10.5f * type, theme.ink, Align::center};
    constexpr float kMostCovered = 0.5f;  // of the share's width
    if (canvas.measure(share.name, style) < part.w * kMostCovered && part.h > 13 * type) {
      const float w = canvas.measure(share.name, style) + 6;
      canvas.fill_rect({part.center().x - w / 2, part.center().y - 7 * type, w, 14 * type},
                       theme.panel.with_alpha(0.85f), 3);
      canvas.text(part.center(), share.name, style);
    }
  }
  if (p.q_tile.count > 0 && p.k_tile.count > 0)
    canvas.stroke_rect(part_of(f.scores, p.seq, p.q_tile, p.k_tile), color::current, 2.5f);
  const TextStyle strong{Font::words_semibold, 12.5f * type, theme.ink};
  const bool whole = p.short_title.empty() || canvas.measure(p.title, strong) <= f.right - f.k.x;
  canvas.text_fit({f.k.x, f.k.y - 14 * type}, whole ? p.title : p.short_title, strong, f.right - f.k.x);
}

// A value of every row as a bar between the least and the most of them.
void draw_row_column(Canvas& canvas, const Theme& theme, Rect r, const AttentionColumn& column,
                     const AttentionPicture& p, std::optional<float> AttentionRow::*member) {
  const float type = theme.type;
  canvas.text_fit({r.center().x, r.y - 10 * type}, column.name,
                  {Font::words_semibold, 10.5f * type, theme.ink, Align::center}, r.w + 4);
  if (!column.meaning.empty()) canvas.hint({r.x, r.y - 18 * type, r.w, 16 * type}, column.meaning);
  canvas.fill_rect(r, mix(theme.panel, theme.soft, 0.5f));
  float low = INFINITY, high = -INFINITY;
  for (const AttentionRow& row : p.rows)
    if (const auto& value = row.*member; value && std::isfinite(*value))
      low = std::min(low, *value), high = std::max(high, *value);
  low = column.from_zero ? 0 : low - (high > low ? (high - low) * 0.12f : 1);
  const float h = r.h / float(std::max<std::size_t>(1, p.rows.size()));
  for (std::size_t row = 0; row < p.rows.size(); ++row) {
    const auto& value = p.rows[row].*member;
    if (!value) continue;
    const float y = r.y + h * float(row), inner = std::max(1.f, h - (h > 3 ? 1 : 0));
    const float share = !std::isfinite(*value) ? 0
                        : high > low           ? std::clamp((*value - low) / (high - low), 0.f, 1.f)
                                               : 1;
    const bool trouble = std::isnan(*value);
    canvas.fill_rect({r.x, y, std::max(1.5f, r.w * share), inner},
                     trouble             ? color::trouble
                     : p.rows[row].moved ? color::registers
                                         : mix(theme.panel, color::registers, 0.45f));
  }
}

void draw_rows(Canvas& canvas, const Theme& theme, const Frame& f, const AttentionPicture& p) {
  constexpr std::optional<float> AttentionRow::*kMembers[] = {&AttentionRow::m, &AttentionRow::l,
                                                              &AttentionRow::factor};
  Rect all = f.columns[0];
  for (std::size_t i = 0; i < f.columns.size(); ++i) {
    if (f.columns[i].w <= 0) continue;
    draw_row_column(canvas, theme, f.columns[i], p.columns[i], p, kMembers[i]);
    all.w = f.columns[i].right() - all.x;
  }
  if (p.focus >= 0 && p.focus < std::int64_t(p.rows.size())) {
    const float h = all.h / float(p.rows.size()), y = all.y + h * float(p.focus);
    canvas.stroke_rect({all.x - 2, y - 1, all.w + 4, h + 2}, theme.ink, 1);
  }
}

// Every value by its sign and its share of the largest; where there is nothing yet, the ground.
std::vector<std::uint8_t> shades_of(const std::vector<float>& from) {
  float most = 0;
  for (const float x : from)
    if (std::isfinite(x)) most = std::max(most, std::abs(x));
  std::vector<std::uint8_t> shades(from.size(), 255);
  for (std::size_t i = 0; i < from.size(); ++i)
    if (const float x = from[i]; std::isfinite(x))
      shades[i] = std::uint8_t(127 + std::lround(most > 0 ? x / most * 126 : 0));
  return shades;
}

void draw_output(Canvas& canvas, const Theme& theme, Rect r, const AttentionOutput& output,
                 const AttentionPicture& p) {
  const float type = theme.type;
  const Vec2 at = output.of_keys ? Vec2{r.x - 8 * type, r.center().y} : Vec2{r.center().x, r.y - 10 * type};
  const TextStyle name{Font::words_semibold, 12.5f * type, theme.ink,
                       output.of_keys ? Align::right : Align::center};
  canvas.text(at, output.name, name);
  if (!output.meaning.empty()) {
    const float w = std::max(canvas.measure(output.name, name), 16 * type);
    canvas.hint({output.of_keys ? at.x - w : at.x - w / 2, at.y - 8 * type, w, 16 * type}, output.meaning);
  }
  canvas.fill_rect(r, mix(theme.panel, color::hbm, 0.06f));
  canvas.stroke_rect(r, theme.line);
  std::array<Color, 256> colors;
  for (int i = 0; i < 255; ++i) {
    const float t = float(i - 127) / 127;
    colors[std::size_t(i)] = mix(theme.panel, t < 0 ? color::hbm : color::registers, std::abs(t));
  }
  colors[255] = theme.soft;
  auto shades = shades_of(output.values);
  const Span all{0, p.seq};
  const Rect part =
      output.of_keys ? part_of(r, p.seq, all, output.rows) : part_of(r, p.seq, output.rows, all);
  const int rows = int(output.rows.count), d = int(p.head_dim);
  if (output.of_keys) {  // a key is a column, as in the scores above
    std::vector<std::uint8_t> turned(shades.size());
    for (int row = 0; row < rows; ++row)
      for (int c = 0; c < d; ++c) turned[std::size_t(c * rows + row)] = shades[std::size_t(row * d + c)];
    canvas.grid(p.id + "/" + output.name, part, rows, d, turned, colors, 0);
  } else {
    canvas.grid(p.id + "/output", part, d, rows, shades, colors, 0);
  }
  canvas.stroke_rect(part, theme.ink, 1.5f);
}

void draw_outputs(Canvas& canvas, const Theme& theme, const Frame& f, const AttentionPicture& p) {
  std::size_t below = 0;
  for (const AttentionOutput& output : p.outputs) {
    if (output.of_keys && below >= f.below.size()) continue;
    draw_output(canvas, theme, output.of_keys ? f.below[below++] : f.output, output, p);
  }
}

// Pieces of Q and K come together at the tile of their scores; its rows go on into m and l, and with V into
// O.
void draw_move(Canvas& canvas, const Theme& theme, const Frame& f, const AttentionPicture& p) {
  if (p.motion >= 1 || p.q_tile.count <= 0 || p.k_tile.count <= 0) return;
  const Span all{0, p.seq};
  const Rect tile = part_of(f.scores, p.seq, p.q_tile, p.k_tile), q = part_of(f.q, p.seq, p.q_tile, all),
             k = part_of(f.k, p.seq, all, p.k_tile), v = part_of(f.v, p.seq, all, p.k_tile);
  const auto travel = [&](const Rect& from, const Rect& to, Color color) {
    draw_travelling(canvas, theme, from, to, color, p.motion);
  };
  if (p.move == AttentionMove::multiplies_q_k) {
    travel(q, {tile.x, tile.y, q.w, tile.h}, color::shared);
    travel(k, {tile.x, tile.y, tile.w, k.h}, color::shared);
  } else if (p.move == AttentionMove::weighs && f.rows) {
    travel({tile.right() - 6, tile.y, 6, tile.h}, part_of(f.columns[0], p.seq, p.q_tile, all),
           color::registers);
  } else if (p.move == AttentionMove::multiplies_p_v && f.output.w > 0) {
    const Rect rows = part_of(f.output, p.seq, p.q_tile, all);
    travel(tile, rows, color::registers);
    travel(v, {rows.x, rows.y, rows.w, v.h}, color::shared);
  }
}

}  // namespace

Color attention_color(const Theme& theme, std::uint8_t cell) {
  switch (cell) {
    case attention_cell::ahead:
      return theme.panel;
    case attention_cell::elsewhere:
      return theme.soft;
    case attention_cell::hidden:
      return mix(theme.ground, theme.dim, 0.35f);
    case attention_cell::kept:
      return mix(theme.panel, color::registers, 0.35f);
    default:
      // A share of 1 in 100 is still told from none.
      return mix(theme.panel, color::registers,
                 0.10f + 0.90f * std::sqrt(float(cell - attention_cell::kScore) /
                                           float(255 - attention_cell::kScore)));
  }
}

std::int64_t attention_cells(const Theme& theme, Rect r, std::int64_t seq, std::int64_t most) {
  const float edge = std::min(r.w, r.h) / theme.type;
  return std::clamp<std::int64_t>(std::min<std::int64_t>(most, std::int64_t(edge / 3)), 1,
                                  std::max<std::int64_t>(1, seq));
}

AttentionHit draw_attention(Canvas& canvas, const Theme& theme, Rect r, const AttentionPicture& p) {
  AttentionHit hit;
  if (p.seq <= 0 || p.head_dim <= 0) return hit;
  const Frame f = frame_of(theme, r, p);
  const bool loads_kv = p.move == AttentionMove::loads_kv && p.motion < 1,
             loads_q = p.move == AttentionMove::loads_q && p.motion < 1;
  draw_strip(canvas, theme, f.k, "K", p, true, p.v_alone ? Span{} : p.k_tile, p.k_in_use, p.tile_k, loads_kv,
             p.k_held);
  draw_strip(canvas, theme, f.v, "V", p, true, p.k_tile, p.v_in_use, p.tile_k, loads_kv, p.v_held);
  draw_strip(canvas, theme, f.q, "Q", p, false, p.q_tile, p.q_in_use, p.tile_q, loads_q, {});
  draw_numbers_along(canvas, theme, f, p.seq, p.tile_q, p.tile_k);
  draw_scores(canvas, theme, f, p);
  if (f.rows) draw_rows(canvas, theme, f, p);
  draw_outputs(canvas, theme, f, p);
  draw_move(canvas, theme, f, p);
  const auto row_at = [&](float y) {
    return std::clamp<std::int64_t>(std::int64_t((y - f.scores.y) / f.scores.h * float(p.seq)), 0, p.seq - 1);
  };
  if (const Hit on = canvas.hit(p.id, f.scores); on.hovered) {
    hit.row = row_at(on.pointer.y), hit.clicked = on.clicked;
    hit.col = std::clamp<std::int64_t>(std::int64_t((on.pointer.x - f.scores.x) / f.scores.w * float(p.seq)),
                                       0, p.seq - 1);
  }
  if (f.rows || f.output.w > 0) {
    const float left = f.rows ? f.columns[0].x : f.output.x,
                right = f.output.w > 0 ? f.output.right() : f.columns[2].right();
    if (const Hit on = canvas.hit(p.id + "/rows", {left, f.scores.y, right - left, f.scores.h}); on.hovered)
      hit.row = row_at(on.pointer.y), hit.clicked = on.clicked;
  }
  const float end = f.below.empty() ? f.scores.bottom() : f.below.back().bottom();
  hit.below = {r.x, end + 12, r.w, r.bottom() - end - 12};
  canvas.landmark("scores",
                  {r.x, r.y, r.w, std::min(r.h, end + 6 - r.y)});  // what follows below stands outside
  return hit;
}

}  // namespace lockstep
