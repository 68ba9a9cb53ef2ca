#include "ladder_strip.hpp"

#include <algorithm>
#include <cmath>

#include "controls.hpp"
#include "number_text.hpp"

namespace lockstep {
namespace {

constexpr float kLeastCell = 116, kGroupGap = 14, kArrow = 24;

// How much of the bar a time fills: the slowest all of it, the fastest a fifth at least.
class BarScale {
 public:
  explicit BarScale(const std::vector<LadderCell>& cells) {
    for (const LadderCell& cell : cells)
      if (cell.ms > 0) least_ = std::min(least_, cell.ms), most_ = std::max(most_, cell.ms);
  }
  float share(double ms) const {
    if (most_ <= least_) return 0.2f;
    return 0.2f + 0.8f * float(std::log(ms / least_) / std::log(most_ / least_));
  }

 private:
  double least_ = 1e300, most_ = 0;
};

void draw_cell(Canvas& canvas, const Theme& theme, Rect r, const LadderCell& cell, bool current, bool low,
               const BarScale& scale) {
  const float type = theme.type, pad = 7;
  const Rect in{r.x + pad, r.y, r.w - 2 * pad, r.h};
  const float name_y = r.y + 13 * type;
  const TextStyle name{Font::words_semibold, 12.5f * type, cell.cannot_run.empty() ? theme.ink : theme.dim},
      time{Font::mono, 11.5f * type, theme.dim, Align::right};
  const std::string text = cell.ms > 0 ? time_text(cell.ms) : low && !cell.no_time.empty() ? "–" : "";
  const float time_w = text.empty() ? 0 : canvas.measure(text, time) + 8;
  canvas.text_fit({in.x, name_y}, cell.name, name, in.w - time_w);
  if (!text.empty()) canvas.text({in.right(), name_y}, text, time);
  const Rect bar{in.x, r.y + 25 * type, in.w, 5 * type};
  if (cell.ms > 0) {
    canvas.fill_rect(bar, theme.soft, bar.h / 2);
    canvas.fill_rect({bar.x, bar.y, bar.w * scale.share(cell.ms), bar.h},
                     current ? theme.ink : mix(theme.soft, theme.dim, 0.6f), bar.h / 2);
  } else if (!low) {
    canvas.text_fit({in.x, bar.center().y}, cell.no_time, {Font::words, 10.5f * type, theme.dim}, in.w);
  }
  if (!low) canvas.text_fit({in.x, r.y + 42 * type}, cell.adds, {Font::words, 10.5f * type, theme.dim}, in.w);
}

std::string hint_of(const LadderCell& cell) {
  std::string hint = cell.name + "\n" + cell.idea;
  if (cell.ms <= 0 && !cell.no_time.empty()) hint += "\n" + cell.no_time;
  if (!cell.cannot_run.empty()) hint += "\n" + cell.cannot_run;
  return hint;
}

// Which cells stand where: all of them, or those around the current one that there is room for, with arrows
// to the next ones at the ends.
struct Cells {
  int first = 0, last = -1;
  float x = 0, width = 0;
};

// Wide enough for any name beside its time.
float least_width(const Canvas& canvas, const LadderStrip& strip, float type) {
  float width = kLeastCell * type;
  for (const LadderCell& cell : strip.cells) {
    const float time =
        cell.ms > 0 ? canvas.measure(time_text(cell.ms), {Font::mono, 11.5f * type, {}}) + 10 : 0;
    width = std::max(width, canvas.measure(cell.name, {Font::words_semibold, 12.5f * type, {}}) + time + 16);
  }
  return width;
}

float gaps_in(const LadderStrip& strip, int first, int last) {
  float gaps = 0;
  for (int i = first + 1; i <= last; ++i) gaps += strip.cells[std::size_t(i)].first_of_group ? kGroupGap : 0;
  return gaps;
}

Cells place_cells(const Canvas& canvas, Rect r, const LadderStrip& strip, float type) {
  const int last = int(strip.cells.size()) - 1;
  const float least = least_width(canvas, strip, type), gaps = gaps_in(strip, 0, last);
  if (r.w - gaps >= float(last + 1) * least)
    return {0, last, r.x, std::min((r.w - gaps) / float(last + 1), 260 * type)};
  const float room = r.w - 2 * kArrow * type - kGroupGap;
  const int count = std::max(1, int(room / least));
  const int first = std::clamp(strip.current - count / 2, 0, last + 1 - count);
  return {first, first + count - 1, r.x + kArrow * type, room / float(count)};
}

// At an end of the row: the next rung on that side.
bool draw_arrow(Canvas& canvas, const Theme& theme, Rect box, const LadderCell& next, bool to_right) {
  const Hit hit = canvas.hit(next.id, box, next.cannot_run.empty());
  if (hit.hovered) canvas.fill_rect(box, theme.soft, 4), canvas.tooltip(hint_of(next));
  if (hit.focused) draw_focus_ring(canvas, theme, box, 4);
  const Vec2 c = box.center();
  const float w = (to_right ? 3 : -3) * theme.type, h = 5 * theme.type;
  const Vec2 head[] = {{c.x - w, c.y - h}, {c.x + w, c.y}, {c.x - w, c.y + h}};
  canvas.polyline(head, theme.ink, 1.5f);
  return hit.clicked && next.cannot_run.empty();
}

void draw_title(Canvas& canvas, const Theme& theme, Vec2 at, const LadderStrip& strip, float width) {
  const TextStyle title{Font::words_semibold, 10.5f * theme.type, theme.dim},
      about{Font::words, 11.5f * theme.type, theme.dim};
  canvas.text_fit(at, strip.title, title, width);
  float x = at.x + canvas.measure(strip.title, title) + 10;
  canvas.text_fit({x, at.y}, strip.about, about, at.x + width - x);
  x += canvas.measure(strip.about, about) + 12;
  if (!strip.provenance) return;
  const float badge = badge_width(canvas, theme, *strip.provenance);
  if (x + badge >= at.x + width) return;
  draw_badge(canvas, theme, {x + badge, at.y}, *strip.provenance);
  const TextStyle date{Font::words, 11 * theme.type, theme.dim};
  x += badge + 4 * theme.type;
  if (x + canvas.measure(strip.provenance->date, date) < at.x + width)
    canvas.text({x, at.y}, strip.provenance->date, date);
}

}  // namespace

float ladder_strip_height(const Theme& theme, bool low) { return (low ? 60 : 82) * theme.type; }

std::optional<int> draw_ladder_strip(Canvas& canvas, const Theme& theme, Rect r, const LadderStrip& strip,
                                     bool low) {
  const float head = 22 * theme.type;
  draw_title(canvas, theme, {r.x + 7, r.y + 12 * theme.type}, strip, r.w - 14);
  const Rect row{r.x, r.y + head, r.w, r.h - head - 4};
  const Cells cells = place_cells(canvas, row, strip, theme.type);
  const BarScale scale(strip.cells);
  std::optional<int> chosen;
  const Rect left{row.x, row.y, kArrow * theme.type - 6, row.h};
  if (cells.first > 0 && draw_arrow(canvas, theme, left, strip.cells[std::size_t(cells.first - 1)], false))
    chosen = cells.first - 1;
  float x = cells.x;
  for (int i = cells.first; i <= cells.last; ++i) {
    const LadderCell& cell = strip.cells[std::size_t(i)];
    if (cell.first_of_group && i > cells.first) {
      canvas.line({x + kGroupGap / 2, row.y + 6}, {x + kGroupGap / 2, row.bottom() - 6}, theme.line);
      x += kGroupGap;
    }
    const Rect box{x, row.y, cells.width, row.h};
    x += cells.width;
    const bool current = i == strip.current, able = cell.cannot_run.empty();
    const Hit hit = canvas.hit(cell.id, box, able);
    if (current || (hit.hovered && able))
      canvas.fill_rect(box, current ? theme.panel : mix(theme.ground, theme.soft, 0.8f), kCorner);
    if (current) canvas.stroke_rect(box, theme.ink, 1.5f, kCorner);
    if (hit.focused) draw_focus_ring(canvas, theme, box);
    draw_cell(canvas, theme, box, cell, current, low, scale);
    if (hit.hovered) canvas.tooltip(hint_of(cell));
    if (hit.clicked && able) chosen = i;
  }
  const Rect right{row.right() - kArrow * theme.type + 6, row.y, kArrow * theme.type - 6, row.h};
  if (cells.last + 1 < int(strip.cells.size()) &&
      draw_arrow(canvas, theme, right, strip.cells[std::size_t(cells.last + 1)], true))
    chosen = cells.last + 1;
  return chosen;
}

}  // namespace lockstep
