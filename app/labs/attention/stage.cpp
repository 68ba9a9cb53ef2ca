// The attention lab's stage: the scores with the tile in them, the formulas of one row, the tower.
#include <algorithm>
#include <cmath>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "app/labs/traffic_tower.hpp"
#include "picture.hpp"

namespace lockstep {

namespace step_of = attention_step;

namespace {

std::vector<TowerLevel> levels_of(const AttentionStep& now) {
  const Traffic t = now.scene.progress.traffic_until(now.in.view.step);
  const double flop = now.scene.flop_until(now.in.view.step);

  TowerLevel math{now.scene.tensor_cores ? tr("tensor") : tr("FMA"),
                  color::tensor,
                  {tr("by the algorithm: 2 d per pair and product")}};
  math.figure = flop_text(flop);
  math.hint =
      tr("each product of a row by a row takes 2 d operations per pair of query and key; only pairs that the "
         "mask leaves count");
  const std::int64_t moves = now.scene.moves_until(now.in.view.step);
  TowerLevel registers{tr("registers"), color::registers, {tr("maxima that moved so far")}};
  registers.figure = grouped(moves);
  registers.hint =
      tr("rows of a tile whose largest score was exceeded by a later tile, counted once per tile");
  TowerLevel shared{tr("shared"), color::shared, {}};
  if (now.scene.uses_shared)
    set_reuse(shared, flop, t.shared_load.lane_bytes);
  else
    shared.lines = {tr("not used by this rung")};
  std::vector<TowerLevel> levels{math, registers, shared};
  for (TowerLevel& level : global_levels(t, flop)) levels.push_back(std::move(level));
  add_reuse_hints(levels, 2);
  return levels;
}

std::vector<TowerLink> links_of(const AttentionStep& now) {
  const Traffic until = now.scene.progress.traffic_until(now.in.view.step);
  const bool computes = now.mark == step_of::scores || now.mark == step_of::output ||
                        now.mark == step_of::product || now.mark == step_of::recompute;
  return traffic_links(until, traffic_of(now.scene.steps, now.in.view.step),
                       {now.scene.uses_shared, now.scene.copies, computes});
}

void take_hit(Canvas& canvas, const AttentionStep& now, const AttentionHit& hit, StageEvents& events) {
  if (!hit.row) return;
  const auto& shown = now.scene.steps.shown;
  const auto row = std::uint32_t(*hit.row);
  std::string text = tr("row {0}", {number_text(*hit.row)});
  if (hit.col) {
    text = tr("query {0}, key {1}", {number_text(*hit.row), number_text(*hit.col)});
    const auto* s = shown.entry(attention_value::s, now.score_index(*hit.row, *hit.col), now.in.view.step);
    if (now.sizes.causal && *hit.col > *hit.row) text += "\n" + tr("hidden by the mask");
    if (s) {
      text += "\n" + tr("s = {0}, step {1}, warp {2}", {figure_text(s->value), number_text(s->step + 1),
                                                        number_text(s->thread / kWarpSize)});
      if (const auto m = shown.at(attention_value::m, row, now.in.view.step))
        text += "\n" + tr("e^(s − m) = {0}", {figure_text(std::exp(double(s->value) - double(*m)))});
    }
  }
  const auto m = shown.at(attention_value::m, row, now.in.view.step),
             l = shown.at(attention_value::l, row, now.in.view.step);
  if (m && l) text += "\n" + tr("m = {0}, l = {1}", {figure_text(*m), figure_text(*l)});
  if (!now.block_rows.holds(*hit.row)) text += "\n" + tr("the row of another block");
  canvas.tooltip(text);
  const std::int64_t element = (now.head * now.sizes.seq + *hit.row) * now.sizes.head_dim;
  if (hit.clicked && element >= 0) events.pin = {std::uint16_t{3}, std::uint64_t(element)};
}

constexpr float kLineStep = 17;

// The formulas of one row with what they give in words below or behind them, as many as there is room for.
float row_card_height(const Theme& theme, std::size_t lines, bool beside) {
  return ((beside ? 1.f : 2.f) * kLineStep * float(lines) + kLineStep + 22) * theme.type;
}

void draw_row_card(Canvas& canvas, const AttentionStep& now, const std::vector<RowLine>& lines, Rect r) {
  const float type = now.in.theme.type, step = kLineStep * type, pad = kPanelPadding;
  if (lines.empty() || r.h < 2 * step + 16) return;
  const TextStyle formula{Font::mono, 11.4f * type, now.in.theme.ink},
      words{Font::words, 11 * type, now.in.theme.dim};
  float widest = 0;
  for (const RowLine& line : lines) widest = std::max(widest, canvas.measure(line.formula, formula));
  const bool beside = r.w - 2 * pad - widest > 190 * type;
  const float each = beside ? step : 2 * step, head = 20 * type;
  const auto most = std::size_t(std::max(1.f, (r.h - 16 * type - head) / each));
  const std::size_t shown = std::min(lines.size(), most);
  const Rect box{r.x, r.y, r.w, float(shown) * each + 16 * type + head};
  canvas.fill_rect(box, now.in.theme.panel, 6);
  canvas.stroke_rect(box, now.in.theme.line, 1, 6);
  float y = box.y + 8 * type + step / 2;
  const std::string title =
      now.gradients ? tr("Of one query and one key") : tr("Row {0}", {number_text(now.focus)});
  canvas.text_fit({box.x + pad, y}, title, {Font::words_semibold, 12.5f * type, now.in.theme.ink},
                  box.w - 2 * pad);
  y += head;
  // Where not all fit, the last ones: they are this step's.
  for (std::size_t i = lines.size() - shown; i < lines.size(); ++i, y += each) {
    canvas.text_fit({box.x + pad, y}, lines[i].formula, formula, box.w - 2 * pad);
    const Vec2 at = beside ? Vec2{box.x + pad + widest + 18 * type, y} : Vec2{box.x + pad, y + step * 0.9f};
    canvas.text_fit(at, lines[i].meaning, words, box.right() - pad - at.x);
  }
}

// The picture above, what it costs at the real size and the formulas of a row below it. The levels' bytes
// stand beside them where there is much room: at the size that is stepped they are not the point.
struct StageRects {
  Rect picture, bars, card, tower;
};

// bars: 0 where they are not the point either. A low stage has no room for them: the headline has their
// figures.
StageRects stage_rects(Rect r, const Theme& theme, std::size_t bars, std::size_t lines, float least_picture) {
  const float type = theme.type, pad = 28, gap = 20;
  StageRects at;
  Rect area{r.x + pad, r.y + 14, r.w - 2 * pad, r.h - 26};
  if (area.w >= 960 * type && area.h >= 420 * type) {
    const float w = std::clamp(area.w * 0.24f, 220 * type, 300 * type);
    at.tower = {area.right() - w, area.y, w, area.h};
    area.w -= w + 30;
  }
  at.picture = area;
  if (area.h < 430 * type) bars = 0, lines = std::min<std::size_t>(lines, 3);
  const bool two = bars > 0 && area.w >= 560 * type;
  const float bars_h = amount_bars_height(theme, bars), card_h = row_card_height(theme, lines, bars == 0);
  const float low_h = two ? std::max(bars_h, card_h) : bars > 0 ? bars_h : card_h;
  if (area.h < low_h + least_picture * type) return at;
  at.picture.h -= low_h + gap;
  const float y = at.picture.bottom() + gap;
  if (bars == 0) {
    at.card = {area.x, y, area.w, low_h};
    return at;
  }
  at.bars = {area.x, y, two ? area.w * 0.44f : area.w, low_h};
  if (two) at.card = {area.x + area.w * 0.44f + 30, y, area.w * 0.56f - 30, low_h};
  return at;
}

void draw_levels(Canvas& canvas, const AttentionStep& now, Rect r) {
  const std::string title = tr("Bytes so far, block {0}", {block_text(now.launch, now.launch.trace.block)});
  draw_tower(canvas, now.in.theme, r, title, levels_of(now), links_of(now), now.in.motion);
}

}  // namespace

void AttentionScene::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  const auto now = attention_step_of(*this, in);
  if (!now) return;
  if (in.presentation) return draw_attention_presentation(canvas, *now);
  constexpr std::size_t kMostLines = 4;  // room is kept for them, so that the picture stands still
  const AmountBars bars = memory_bars(*this);
  const StageRects at = stage_rects(in.area, in.theme, now->gradients ? 0 : bars.bars.size(), kMostLines,
                                    now->gradients ? 340 : 230);  // gradients stand below the scores
  // Room for all that the colours can mean, for the same reason.
  const float legend_h = legend_height(canvas, in.theme, at.picture.w, attention_legend(*now));
  Rect picture = at.picture;
  picture.h -= legend_h + 10;
  constexpr std::int64_t kMostCells = 128;
  const AttentionPicture shown =
      attention_picture(*now, attention_cells(in.theme, picture, now->sizes.seq, kMostCells));
  const AttentionHit hit = draw_attention(canvas, in.theme, picture, shown);
  take_hit(canvas, *now, hit, events);
  draw_legend(canvas, in.theme, {picture.x, hit.below.y, picture.w, legend_h},
              attention_legend(*now, &shown));
  if (at.bars.w > 0) draw_amount_bars(canvas, in.theme, at.bars, bars);
  if (at.card.w > 0) draw_row_card(canvas, *now, row_lines(*now), at.card);
  if (at.tower.w > 0) draw_levels(canvas, *now, at.tower);
}

}  // namespace lockstep
