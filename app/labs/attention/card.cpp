// The card: the scores of every pair of a query and a key, with Q beside and K above them, and this step's
// tile.
#include <algorithm>
#include <array>

#include "picture.hpp"

namespace lockstep {

void AttentionScene::card(Canvas& canvas, const StageInput& in) const {
  const auto now = attention_step_of(*this, in);
  if (!now) return;
  constexpr std::int64_t kCells = 32;
  const AttentionPicture p = attention_picture(*now, std::min(kCells, now->sizes.seq));
  const Rect r = in.area;
  constexpr float kStrip = 10, kGap = 6;
  const Rect scores{r.x + kStrip + kGap, r.y + kStrip + kGap, r.w - kStrip - kGap, r.h - kStrip - kGap};
  const Rect q{r.x, scores.y, kStrip, scores.h}, k{scores.x, r.y, scores.w, kStrip};
  std::array<Color, 256> colors;
  for (int i = 0; i < 256; ++i) colors[std::size_t(i)] = attention_color(in.theme, std::uint8_t(i));
  for (const Rect& strip : {q, k}) canvas.fill_rect(strip, mix(in.theme.panel, color::hbm, 0.25f), 2);
  if (p.q_tile.count > 0) canvas.fill_rect(part_of(q, p.seq, p.q_tile, {0, p.seq}), color::hbm, 2);
  if (p.k_tile.count > 0) canvas.fill_rect(part_of(k, p.seq, {0, p.seq}, p.k_tile), color::hbm, 2);
  if (p.cells > 0 && std::int64_t(p.values.size()) == p.cells * p.cells)
    canvas.grid("scores", scores, int(p.cells), int(p.cells), p.values, colors, 1);
  canvas.stroke_rect(scores, in.theme.line);
  if (p.q_tile.count > 0 && p.k_tile.count > 0)
    canvas.stroke_rect(part_of(scores, p.seq, p.q_tile, p.k_tile), color::current, 2.5f);
}

}  // namespace lockstep
