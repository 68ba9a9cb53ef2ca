// Attention for a room of people: the scores with the tile of this step between Q and K, in the colour of the
// level that keeps them, and the bytes of each level.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/draw/language.hpp"
#include "app/labs/story.hpp"
#include "app/labs/traffic_tower.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

constexpr float kStrip = 10, kStripGap = 5, kName = 20, kBars = 128, kGap = 34,
                kLeastCard = 160;  // px at type size 1

// As many as can be told apart, and a whole number of scores to a cell.
std::int64_t cells_of(float edge, float type, std::int64_t seq) {
  const auto most = std::clamp<std::int64_t>(std::int64_t(edge / (6 * type)), 1, seq);
  for (std::int64_t cells = most; cells > most / 2; --cells)
    if (seq % cells == 0) return cells;
  return most;
}

void draw_strip(Canvas& canvas, const Theme& theme, Rect r, Rect piece, bool now) {
  canvas.fill_rect(r, mix(theme.panel, color::hbm, 0.35f), 3);
  if (piece.w > 0 && piece.h > 0) canvas.fill_rect(piece, now ? color::shared : color::hbm, 3);
}

// Yellow between two lines of ink, so that it is seen on any colour.
void draw_current(Canvas& canvas, const Theme& theme, Rect r) {
  if (!theme.dark) {
    canvas.stroke_rect(r.inset(-3), theme.ink, 1);
    canvas.stroke_rect(r.inset(2), theme.ink, 1);
  }
  canvas.stroke_rect(r, color::current, 4);
}

void draw_scores(Canvas& canvas, const AttentionStep& now, Rect r, const AttentionPicture& p) {
  const Theme& theme = now.in.theme;
  const Color level = now.scene.scores_in_memory ? color::hbm : color::registers;
  std::array<Color, 256> colors;
  const std::uint8_t first = attention_cell::score(0);
  for (int i = 0; i < 256; ++i) {
    const float share = float(i - first) / float(255 - first);
    colors[std::size_t(i)] = i < first ? attention_color(theme, std::uint8_t(i))
                                       : mix(theme.panel, level, 0.25f + 0.75f * std::sqrt(share));
  }
  colors[attention_cell::kept] = mix(theme.panel, level, 0.6f);
  colors[attention_cell::ahead] = theme.soft;
  const float cell = r.w / float(p.cells);
  canvas.grid(p.id + "/scores", r, int(p.cells), int(p.cells), p.values, colors, cell >= 8 ? 1.5f : 0);
  if (p.block_rows.count > 0 && p.block_rows.count < p.seq)
    canvas.stroke_rect(part_of(r, p.seq, p.block_rows, {0, p.seq}), theme.ink, 1.5f);
  if (p.q_tile.count > 0 && p.k_tile.count > 0)
    draw_current(canvas, theme, part_of(r, p.seq, p.q_tile, p.k_tile));
}

}  // namespace

void draw_attention_presentation(Canvas& canvas, const AttentionStep& now) {
  const Theme& theme = now.in.theme;
  const float type = theme.type, pad = 28;
  const Rect area{now.in.area.x + pad, now.in.area.y + 6, now.in.area.w - 2 * pad, now.in.area.h - 12};
  const float beside = (kStrip + kStripGap) * type;
  const TextStyle name{Font::words_semibold, 12.5f * type, theme.ink};
  const float kv_w = canvas.measure("K, V", name) + 8 * type;
  const float edge = std::min(area.h - beside - kName * type, area.w - beside - (kGap + kBars) * type);
  if (edge < 40) return;
  const AttentionPicture p = attention_picture(now, cells_of(edge, type, now.sizes.seq));
  const Rect scores{area.x + beside, area.y + beside, edge, edge};
  const Rect kv{scores.x, area.y, edge, kStrip * type}, q{area.x, scores.y, kStrip * type, edge};
  const Span all{0, p.seq};
  draw_strip(canvas, theme, kv, part_of(kv, p.seq, all, p.k_tile), p.k_in_use || p.v_in_use);
  draw_strip(canvas, theme, q, part_of(q, p.seq, p.q_tile, all), p.q_in_use);
  draw_scores(canvas, now, scores, p);
  canvas.text({kv.right() + 8 * type, kv.center().y}, "K, V", name);
  canvas.text({q.x, q.bottom() + 10 * type}, "Q", name);
  canvas.text_fit({scores.x + 8 * type, scores.bottom() + 10 * type},
                  now.scene.scores_in_memory ? tr("scores, kept in HBM") : tr("scores, a tile in registers"),
                  {Font::words, 11 * type, theme.dim}, edge - 8 * type);
  const float x = scores.right() + std::max(kGap * type, kv_w);
  std::string title = tr("Bytes so far, block {0}", {block_text(now.launch, now.launch.trace.block)});
  if (canvas.measure(title, name) > area.right() - x) title = tr("Bytes so far");
  const float beside_bars = area.right() - x - (kGap + kBars) * type;  // m, l and O, where they have room
  const float card_w =
      beside_bars >= kLeastCard * type ? std::min(beside_bars, (area.right() - x) * 0.55f) : 0;
  const float bars_w = area.right() - x - (card_w > 0 ? card_w + kGap * type : 0);
  if (card_w > 0) draw_row_card(canvas, now, {area.right() - card_w, scores.y, card_w, edge});
  draw_level_bars(canvas, theme, {x, scores.y, bars_w, edge}, title,
                  traffic_bars(now.scene.progress.traffic_until(now.in.view.step), now.scene.uses_shared));
}

}  // namespace lockstep
