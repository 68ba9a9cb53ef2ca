// The attention lab's stage: the scores with the tile in them, the formulas of one row, the river.
#include <algorithm>
#include <cmath>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "app/labs/traffic_river.hpp"
#include "app/labs/traffic_tower.hpp"
#include "picture.hpp"
#include "turns.hpp"

namespace lockstep {

namespace {

River river_of(const AttentionStep& now) {
  RiverUse use;
  use.shared = now.scene.uses_shared;
  if (use.shared) use.shared_note = tr("tiles of K and V");
  const int step = now.in.view.step;
  use.boxes = now.scene.boxed;
  const std::string flop = flop_text(now.scene.flop_until(step));
  if (use.boxes) use.shared_note = tr("tiles; products read them here");
  use.registers_note = now.scene.scores_in_memory || now.gradients
                           ? tr("{0} so far", {flop})
                           : tr("{0} so far; {1} maxima moved", {flop, grouped(now.scene.moves_until(step))});
  return traffic_river(now.scene.progress.traffic_until(now.in.view.step),
                       traffic_of(now.scene.steps, now.in.view.step), use,
                       block_text(now.launch, now.launch.trace.block));
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

constexpr float kLineStep = 17, kMeaningStep = 15, kCardHead = 36;

TextStyle formula_style(const Theme& theme) { return {Font::mono, 11.4f * theme.type, theme.ink}; }
TextStyle meaning_style(const Theme& theme) { return {Font::words, 11 * theme.type, theme.dim}; }

TextStyle title_style(const Theme& theme) { return {Font::words_semibold, 12.5f * theme.type, theme.ink}; }

std::string card_title(const AttentionStep& now) {
  return now.gradients ? tr("Of one query and one key") : tr("Row {0}", {number_text(now.focus)});
}

// A formula in as many lines as it needs, broken before its operators.
std::vector<std::string> formula_lines(const Canvas& canvas, const std::string& formula,
                                       const TextStyle& style, float width) {
  std::vector<std::string> lines{""};
  for (std::size_t at = 0, end = 0; at < formula.size(); at = end) {
    end = formula.size();
    for (const std::string_view sign : {" = ", " + ", " · ", " → "})
      end = std::min(end, formula.find(sign, at + 1));
    const std::string piece = formula.substr(at, end - at);
    if (!lines.back().empty() && canvas.measure(lines.back() + piece, style) > width)
      lines.push_back(" " + piece);
    else
      lines.back() += piece;
  }
  return lines;
}

// The formulas of one row with what they give in words below or behind them, as many as there is room for.
class RowCard {
 public:
  RowCard(Canvas& canvas, const AttentionStep& now, Rect r)
      : canvas_(canvas), now_(now), theme_(now.in.theme), r_(r), lines_(row_lines(now)) {}
  void draw();

 private:
  float height_of(const RowLine& line) const;
  float draw_line(const RowLine& line, float y) const;

  Canvas& canvas_;
  const AttentionStep& now_;
  const Theme& theme_;
  const Rect r_;
  const std::vector<RowLine> lines_;
  float room_ = 0, widest_ = 0;
  bool beside_ = false;  // the words stand behind the formulas
};

float RowCard::height_of(const RowLine& line) const {
  const float type = theme_.type;
  if (beside_) return kLineStep * type;
  return kLineStep * type * float(formula_lines(canvas_, line.formula, formula_style(theme_), room_).size()) +
         kMeaningStep * type * float(canvas_.count_lines(line.meaning, meaning_style(theme_), room_)) +
         4 * type;
}

float RowCard::draw_line(const RowLine& line, float y) const {
  const float type = theme_.type, step = kLineStep * type, x = r_.x + kPanelPadding;
  const float end = y + height_of(line);
  if (beside_) {
    canvas_.text_fit({x, y + step / 2}, line.formula, formula_style(theme_), room_);
    const float behind = x + widest_ + 18 * type;
    canvas_.text_fit({behind, y + step / 2}, line.meaning, meaning_style(theme_),
                     r_.right() - kPanelPadding - behind);
    return end;
  }
  for (const std::string& text : formula_lines(canvas_, line.formula, formula_style(theme_), room_)) {
    canvas_.text_fit({x, y + step / 2}, text, formula_style(theme_), room_);
    y += step;
  }
  canvas_.text_wrap({x, y}, line.meaning, meaning_style(theme_), room_, kMeaningStep * type);
  return end;
}

void RowCard::draw() {
  const float type = theme_.type;
  room_ = r_.w - 2 * kPanelPadding;
  for (const RowLine& line : lines_)
    widest_ = std::max(widest_, canvas_.measure(line.formula, formula_style(theme_)));
  beside_ = room_ - widest_ > 190 * type;
  // Where not all fit, the last ones: they are this step's.
  std::size_t first = lines_.size();
  float height = kCardHead * type;
  while (first > 0 && height + height_of(lines_[first - 1]) <= r_.h) height += height_of(lines_[--first]);
  if (first == lines_.size()) return;
  canvas_.landmark("row", {r_.x, r_.y, r_.w, height});
  canvas_.fill_rect({r_.x, r_.y, r_.w, height}, theme_.panel, 6);
  canvas_.stroke_rect({r_.x, r_.y, r_.w, height}, theme_.line, 1, 6);
  canvas_.text_fit({r_.x + kPanelPadding, r_.y + 16 * type}, card_title(now_), title_style(theme_), room_);
  float y = r_.y + 27 * type;
  for (std::size_t i = first; i < lines_.size(); ++i) y = draw_line(lines_[i], y);
}

}  // namespace

void draw_row_card(Canvas& canvas, const AttentionStep& now, Rect r) { RowCard(canvas, now, r).draw(); }

namespace {

// The picture, beside it what it costs at the real size and the formulas of a row, and the river (or who
// works when) below; in a narrow stage the formulas below it instead.
struct StageRects {
  Rect picture, bars, card, below, bytes;
  std::size_t bar_count = 0;
};

constexpr float kStageGap = 20, kStagePad = 28, kBytesLine = 18;
constexpr std::size_t kMostLines = 4;  // of the card: room is kept for them, so that the picture stands still

void put_beside(StageRects& at, const Theme& theme, Rect area, std::size_t bars) {
  // What a picture as high as this leaves of the width; without bars there are gradients below the scores.
  const float type = theme.type, around = (bars > 0 ? 120 : 230) * type,
              picture = kAttentionBeside * type + area.h - around,
              w = std::clamp(area.w - picture - kStageGap, 206 * type, 380 * type);
  const float card = (w >= 270 * type ? 184.f : 226.f) * type;
  const Rect column{area.right() - w, area.y, w, area.h};
  at.picture = {area.x, area.y, area.w - w - kStageGap, area.h};
  constexpr std::size_t kFewBars = 3;
  for (const std::size_t count : {bars, std::min(bars, kFewBars)})
    if (at.bar_count == 0 && column.h >= amount_bars_height(theme, count) + card) at.bar_count = count;
  const float bars_h = at.bar_count > 0 ? amount_bars_height(theme, at.bar_count) : 0;
  if (bars_h > 0) at.bars = {column.x, column.y, w, bars_h};
  const float above = bars_h > 0 ? bars_h + 14 * type : 0;
  at.card = {column.x, column.y + above, w, column.h - above};
}

// least_picture: a height at type size 1; title_w: of the card's title. bars: 0 where they are not the point.
// below: how high what stands there is, 0 where it has no room in this width; river: it is the river.
StageRects stage_rects(Rect r, const Theme& theme, std::size_t bars, float least_picture, float below,
                       bool river, float title_w) {
  const float type = theme.type;
  Rect area{r.x + kStagePad, r.y + 14, r.w - 2 * kStagePad, r.h - 26};
  StageRects at;
  if (below > 0 && area.h - below - kStageGap >= least_picture * type) {
    at.below = {area.x, area.bottom() - below, area.w, below};
    area.h -= below + kStageGap;
  }
  const bool gradients = bars == 0;  // no O beside the scores: there is more room
  if (area.w >= (gradients ? 460 : 600) * type && area.h >= 200 * type) {
    put_beside(at, theme, area, bars);
    if (at.below.w == 0 || !river) {
      at.bytes = {area.x, area.bottom() - kBytesLine * type, area.w, kBytesLine * type};
      if (!gradients) at.picture.h -= kBytesLine * type + 6;  // else room is left below the legend
      at.card.h -= kBytesLine * type + 6;
    }
    return at;
  }
  at.picture = area;
  const float card_h = (kCardHead + kLineStep * float(area.h < 430 * type ? 3 : kMostLines)) * type;
  if (area.h < card_h + least_picture * type) return at;
  at.picture.h -= card_h + kStageGap;
  at.card = {area.x, at.picture.bottom() + kStageGap, area.w, card_h};
  const float title = title_w + 2 * kPanelPadding + 8 * type;  // the line behind it is free
  if (at.below.w == 0 || !river)
    at.bytes = {at.card.x + title, at.card.y + 7 * type, at.card.w - title - kPanelPadding,
                kBytesLine * type};
  return at;
}

// What the river says, in a line, where the stage is too narrow or too low for it.
void draw_bytes_line(Canvas& canvas, const Theme& theme, Rect r, const std::vector<LevelBar>& levels) {
  const float type = theme.type, y = r.center().y, gap = 12 * type, space = 4 * type;
  const TextStyle head{Font::words_semibold, 12.5f * type, theme.ink};
  float x = r.x + std::min(r.w, canvas.measure(tr("Bytes so far"), head) + gap);
  canvas.text_fit({r.x, y}, tr("Bytes so far"), head, r.w);
  for (const LevelBar& level : levels) {
    const TextStyle name{Font::words_semibold, 12.5f * type, theme.readable(level.color)};
    const TextStyle figure{Font::mono, 11.4f * type, theme.ink};
    const std::string bytes = tower_bytes(level.bytes);
    const float mark = level.modelled ? 14 * type : 0;
    const float name_w = mark + canvas.measure(level.name, name),
                w = name_w + space + canvas.measure(bytes, figure);
    if (x + w > r.right()) return;
    if (level.modelled) draw_badge_symbol(canvas, theme, {x + 5 * type, y}, Provenance::modelled());
    canvas.text({x + mark, y}, level.name, name);
    canvas.text({x + name_w + space, y}, bytes, figure);
    x += w + gap;
  }
}

// The first rung, this one and the one that moves least, where all have no room.
AmountBars some_of(AmountBars bars, std::size_t count) {
  if (count >= bars.bars.size()) return bars;
  const auto least = std::min_element(bars.bars.begin(), bars.bars.end(),
                                      [](const auto& a, const auto& b) { return a.amount < b.amount; });
  std::vector<AmountBar> kept;
  for (auto bar = bars.bars.begin(); bar != bars.bars.end(); ++bar)
    if (bar == bars.bars.begin() || bar->current || bar == least) kept.push_back(*bar);
  bars.bars = std::move(kept);
  return bars;
}

}  // namespace

void AttentionScene::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  const auto now = attention_step_of(*this, in);
  if (!now) return;
  if (in.presentation) return draw_attention_presentation(canvas, *now);
  const AmountBars bars = memory_bars(*this);
  const River river = river_of(*now);
  const float turns = turns_height(canvas, in.theme, in.area.w - 2 * kStagePad, run());
  float below = turns;
  if (below == 0 && river_fits(canvas, in.theme, in.area.w - 2 * kStagePad, river))
    below = kRiverHeight * in.theme.type;
  const StageRects at = stage_rects(
      in.area, in.theme, now->gradients ? 0 : bars.bars.size(), now->gradients ? 340 : 230, below, turns == 0,
      canvas.measure(card_title(*now), title_style(in.theme)));  // gradients stand below the scores
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
  if (at.bars.w > 0) draw_amount_bars(canvas, in.theme, at.bars, some_of(bars, at.bar_count));
  if (at.card.w > 0) draw_row_card(canvas, *now, at.card);
  if (at.below.w > 0 && turns > 0) draw_turns(canvas, *now, at.below);
  if (at.below.w > 0 && turns == 0) draw_river(canvas, in.theme, at.below, river, in.motion);
  if (at.bytes.w > 0)
    draw_bytes_line(canvas, in.theme, at.bytes,
                    traffic_bars(progress.traffic_until(in.view.step), uses_shared));
}

}  // namespace lockstep
