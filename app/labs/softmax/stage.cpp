// The softmax lab's stage: a row's scores, what they are worth, the factors and the formula of this step.
#include <algorithm>
#include <cmath>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/draw/travel.hpp"
#include "app/labs/story.hpp"
#include "picture.hpp"

namespace lockstep {
namespace {

struct StageRects {
  Rect scores, factors, weights, formula, legend;
  Rect reads, rows;
};

// The bars keep the most; what there is no room for is left out, the legend first.
StageRects stage_rects(Rect r, const Theme& theme, bool factors, std::size_t lines, float legend_h) {
  const float pad = 28, gap = 16, type = theme.type;
  const Rect area{r.x + pad, r.y + 18, r.w - 2 * pad, r.h - 30};
  StageRects at{};
  Rect main = area;
  if (area.w >= std::max(620.f, 460 * type)) {
    const float side = std::clamp(area.w * 0.27f, 196.f * std::min(type, 1.25f), 320.f * type);
    main.w -= side + 30;
    const Rect column{area.right() - side, area.y, side, area.h};
    const float reads = pass_counts_height(theme, 5);
    at.reads = {column.x, column.y, column.w, std::min(reads, column.h)};
    const float y = at.reads.bottom() + 26 * type;
    if (column.bottom() - y > 90 * type) at.rows = {column.x, y, column.w, column.bottom() - y};
  }
  const float least_bars = 84 * type;
  float left = main.h;
  const auto take = [&](float h, float keep) {
    if (left - h - gap < keep) return 0.f;
    left -= h + gap;
    return h;
  };
  const float formula_h = take((30 + 20 * float(lines)) * type + 2 * kPanelPadding - 8, least_bars * 1.6f);
  const float factors_h = factors ? take(row_shares_height(theme), least_bars * 2) : 0;
  const float legend = take(legend_h, least_bars * 2.2f);
  const bool both = left >= 2 * least_bars + gap;
  const float scores_h = both ? (left - gap) * 0.54f : left, weights_h = both ? left - gap - scores_h : 0;
  float y = main.y;
  const auto put = [&](Rect& to, float h) {
    if (h <= 0) return;
    to = {main.x, y, main.w, h};
    y += h + gap;
  };
  put(at.scores, scores_h), put(at.factors, factors_h), put(at.weights, weights_h), put(at.legend, legend);
  put(at.formula, formula_h);
  return at;
}

// For a room of people: the scores and what they are worth, and the factors between them.
StageRects presentation_rects(Rect r, const Theme& theme, bool factors) {
  const float pad = 28, gap = 8 * theme.type;
  const Rect area{r.x + pad, r.y + 6, r.w - 2 * pad, r.h - 12};
  const float factors_h = factors ? row_shares_height(theme) : 0;
  const bool room = area.h - factors_h - 2 * gap > 150 * theme.type;
  const float bars = area.h - (factors && room ? factors_h + gap : 0) - gap;
  StageRects at{};
  at.scores = {area.x, area.y, area.w, bars * 0.54f};
  float y = at.scores.bottom() + gap;
  if (factors && room) at.factors = {area.x, y, area.w, factors_h}, y += factors_h + gap;
  at.weights = {area.x, y, area.w, area.bottom() - y};
  return at;
}

// Lines too long are broken before a sum's second term; where that makes too many, the formula without
// numbers goes.
constexpr std::size_t kMostLines = 4;

std::vector<FormulaLine> fitted(const Canvas& canvas, const Theme& theme, std::vector<FormulaLine> lines,
                                float width) {
  const TextStyle style{Font::mono, 12.5f * theme.type, theme.ink};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t at = lines[i].text.find(" + ", 6);
    if (canvas.measure(lines[i].text, style) <= width || at == std::string::npos) continue;
    const FormulaLine rest{"    " + lines[i].text.substr(at), lines[i].numbers};
    lines[i].text.resize(at);
    lines.insert(lines.begin() + std::ptrdiff_t(i) + 1, rest);
  }
  if (lines.size() > kMostLines) std::erase_if(lines, [](const FormulaLine& line) { return !line.numbers; });
  return lines;
}

void draw_formula(Canvas& canvas, const Theme& theme, Rect r, const SoftmaxStep& s,
                  const std::vector<FormulaLine>& lines) {
  const float type = theme.type, pad = kPanelPadding;
  canvas.fill_rect(r, theme.panel, 6);
  canvas.stroke_rect(r, theme.line, 1, 6);
  const std::string caption =
      s.part == SoftmaxPart::divide || s.part == SoftmaxPart::load
          ? tr("With the numbers of row {0}", {number_text(s.row)})
          : tr("With the numbers that the kernel showed for row {0}", {number_text(s.row)});
  float y = r.y + pad + 4 * type;
  canvas.text_fit({r.x + pad, y}, caption, {Font::words, 11.5f * type, theme.dim}, r.w - 2 * pad);
  y += 24 * type;
  for (const FormulaLine& line : fitted(canvas, theme, lines, r.w - 2 * pad)) {
    canvas.text_fit({r.x + pad, y}, line.text,
                    {Font::mono, 12.5f * type, line.numbers ? theme.ink : theme.dim}, r.w - 2 * pad);
    y += 20 * type;
  }
}

void show_score_story(Canvas& canvas, const SoftmaxStep& s, const RowHit& hit, bool result,
                      StageEvents& events) {
  if (!hit.column || !s.scores_kept()) return;
  const std::int64_t col = *hit.column;
  const auto e = std::uint64_t(s.row * s.cols + col);
  if (result && col < s.written())
    return show_element_story(canvas, s.run(), s.scene.steps, s.p_view, e, hit.clicked, events);
  std::string text =
      tr("x[{0}][{1}] = {2}", {number_text(s.row), number_text(col), figure_text(s.x[std::size_t(col)])});
  if (s.after.m && s.way.maximum && result)
    text +=
        "\n" + tr("e^(x − m) = {0} with m = {1}",
                  {figure_text(
                       s.x[std::size_t(col)] == -INFINITY ? 0 : std::exp(s.x[std::size_t(col)] - *s.after.m)),
                   figure_text(*s.after.m)});
  if (result && !s.way.maximum)
    text += "\n" + tr("e^x = {0}", {figure_text(double(std::exp(float(s.x[std::size_t(col)]))))});
  if (s.tiled())
    text += "\n" + tr("tile {0}, lane {1}", {number_text(col / s.tile), number_text(col % s.tile % 32)});
  if (s.way.merges_warps) text += "\n" + tr("warp {0}", {number_text(s.warp_of(col))});
  if (!hit.clicked) return canvas.tooltip(text);
  events.pin = {s.x_view.id, e};
}

void show_factor_story(Canvas& canvas, const SoftmaxStep& s, const RowShare& share) {
  canvas.tooltip(s.way.one_pass ? tr("x[{0}]: what was summed before is multiplied by {1}",
                                     {columns_text(share.cols), figure_text(share.value)})
                                : tr("x[{0}], warp {1}: its sum is multiplied by {2}",
                                     {columns_text(share.cols), number_text(s.warp_of(share.cols.first)),
                                      figure_text(share.value)}));
}

void choose_row(Canvas& canvas, const SoftmaxStep& s, const RowListPicture& p, const RowListHit& hit,
                StageEvents& events) {
  if (!hit.entry) return;
  const RowEntry& entry = p.rows[*hit.entry];
  const std::int64_t block = entry.row / s.rows_per_block, warp = entry.row % s.rows_per_block;
  std::string text = s.tiled() ? tr("row {0}: block {1}, warp {2}",
                                    {number_text(entry.row), number_text(block), number_text(warp)})
                               : tr("row {0}: block {1}", {number_text(entry.row), number_text(block)});
  if (!entry.trouble.empty()) text += "\n" + tr("the kernel gave {0}", {entry.trouble});
  canvas.tooltip(text + "\n" + tr("click: follow this row"));
  if (!hit.clicked) return;
  if (block != s.run().launches[0].trace.block) events.follow_block = block;
  if (s.tiled()) events.follow_warp = warp;
}

}  // namespace

void SoftmaxScene::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  const auto s = softmax_step(*this, in.view.step, in.view.warp);
  if (!s) return;
  const Theme& theme = in.theme;
  const auto lines = formula_lines(*s);
  const auto legend = softmax_legend(*s, theme);
  const RowSharesPicture factors = factors_picture(*s);
  const float main_w = in.area.w * 0.66f;
  const bool long_formula = s->way.one_pass || s->way.merges_warps;
  const StageRects at =
      in.presentation ? presentation_rects(in.area, theme, !factors.title.empty())
                      : stage_rects(in.area, theme, !factors.title.empty(), long_formula ? kMostLines : 2,
                                    legend_height(canvas, theme, main_w, legend));
  const RowBarsPicture scores = scores_picture(*s, theme);
  show_score_story(canvas, *s, draw_row_bars(canvas, theme, at.scores, scores), false, events);
  if (at.factors.h > 0)
    if (const auto i = draw_row_shares(canvas, theme, at.factors, factors))
      show_factor_story(canvas, *s, factors.shares[*i]);
  if (at.weights.h > 0) {
    const RowBarsPicture weights = weights_picture(*s, theme, in.motion);
    show_score_story(canvas, *s, draw_row_bars(canvas, theme, at.weights, weights), true, events);
    if (s->part != SoftmaxPart::load && s->part != SoftmaxPart::max)  // the tile goes where its bars grow
      draw_travelling(canvas, theme, row_bars_columns(theme, at.scores, scores, s->now),
                      row_bars_columns(theme, at.weights, weights, s->now), color::registers, in.motion);
  }
  if (at.legend.h > 0) draw_legend(canvas, theme, at.legend, legend);
  if (at.formula.h > 0) draw_formula(canvas, theme, at.formula, *s, lines);
  if (at.reads.h > 0) {
    draw_pass_counts(canvas, theme, at.reads, tr("Reads of x by each rung"), tr("filled: counted so far"),
                     read_counts(*s), color::hbm);
    canvas.hint(
        at.reads,
        tr("A box for each place in the rung's source that reads x. Filled: the sectors that this block "
           "asked for so far, over the sectors of its rows."));
  }
  if (at.rows.h <= 0) return;
  const RowListPicture rows = rows_picture(*s, row_list_room(theme, at.rows));
  choose_row(canvas, *s, rows, draw_row_list(canvas, theme, at.rows, rows), events);
}

}  // namespace lockstep
