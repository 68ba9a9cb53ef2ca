// The attention lab's stage: the scores with the tile in them, the formulas of one row, the tower.
#include <algorithm>
#include <cmath>

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

// The formulas of one row, in as many columns as there is room for.
void draw_row_card(Canvas& canvas, const AttentionStep& now, Rect r) {
  const auto lines = row_lines(now);
  const float type = now.in.theme.type, step = 19 * type;
  if (lines.empty() || r.h < step + 16) return;
  const float column = 330 * type;
  const int rows = std::max(1, int((r.h - 16) / step)), columns = std::max(1, int((r.w - 24) / column));
  const int used = std::min(rows, (int(lines.size()) + columns - 1) / columns);
  const Rect box{r.x, r.y, r.w, float(used) * step + 16};
  canvas.fill_rect(box, now.in.theme.panel, 6);
  canvas.stroke_rect(box, now.in.theme.line, 1, 6);
  for (int i = 0; i < int(lines.size()) && i / used < columns; ++i)
    canvas.text_fit({box.x + 12 + float(i / used) * column, box.y + 8 + (float(i % used) + 0.5f) * step},
                    lines[std::size_t(i)], {Font::mono, 11.5f * type, now.in.theme.ink},
                    std::min(column - 12, box.w - 24));
}

}  // namespace

void AttentionScene::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  const auto now = attention_step_of(*this, in);
  if (!now) return;
  if (in.presentation) return draw_attention_presentation(canvas, *now);
  const TowerRoom at = tower_room(in.area, in.theme);
  // Room for all that the colours can mean, so that the picture keeps its size from step to step.
  const float legend_h = legend_height(canvas, in.theme, at.rest.w, attention_legend(*now)),
              card_h = 54 * in.theme.type;
  Rect picture = at.rest;
  const bool card = picture.h > 380 * in.theme.type;
  picture.h -= legend_h + 10 + (card ? card_h + 10 : 0);
  constexpr std::int64_t kMostCells = 128;
  const AttentionPicture shown =
      attention_picture(*now, attention_cells(in.theme, picture, now->sizes.seq, kMostCells));
  const AttentionHit hit = draw_attention(canvas, in.theme, picture, shown);
  take_hit(canvas, *now, hit, events);
  const float y = hit.below.y;
  draw_legend(canvas, in.theme, {picture.x, y, picture.w, legend_h}, attention_legend(*now, &shown));
  if (card)
    draw_row_card(canvas, *now,
                  {picture.x, y + legend_h + 10, at.rest.w, at.rest.bottom() - y - legend_h - 10});
  const std::string title = tr("Bytes so far, block {0}", {block_text(now->launch, now->launch.trace.block)});
  if (at.tower.w > 0)
    draw_tower(canvas, in.theme, at.tower, title, levels_of(*now), links_of(*now), in.motion);
  if (at.table.w > 0) draw_tower_table(canvas, in.theme, at.table, title, levels_of(*now), links_of(*now));
}

}  // namespace lockstep
