#include "ladder_strip.hpp"

#include <algorithm>
#include <cmath>

#include "controls.hpp"
#include "number_text.hpp"

namespace lockstep {
namespace {

constexpr float kLeastCell = 116, kGroupGap = 14, kArrow = 24;

// How much of the bar a time fills: the slowest all of it, the fastest a fifth, or more where they are less
// than a factor of kLeastRange apart: times that are nearly the same look nearly the same.
class BarScale {
 public:
  explicit BarScale(const std::vector<LadderCell>& cells) {
    for (const LadderCell& cell : cells)
      if (cell.ms > 0) least_ = std::min(least_, cell.ms), most_ = std::max(most_, cell.ms);
  }
  float share(double ms) const {
    constexpr double kLeastRange = 4;
    return 1 - 0.8f * float(std::log(most_ / ms) / std::log(std::max(kLeastRange, most_ / least_)));
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
  const std::string text = cell.ms > 0 ? time_text(cell.ms) : "";
  const float time_w = text.empty() ? 0 : canvas.measure(text, time) + 8;
  canvas.text_fit({in.x, name_y}, cell.name, name, in.w - time_w);
  if (!text.empty()) canvas.text({in.right(), name_y}, text, time);
  const Rect bar{in.x, r.y + 25 * type, in.w, 5 * type};
  if (cell.ms > 0) {
    canvas.fill_rect(bar, theme.soft, bar.h / 2);
    canvas.fill_rect({bar.x, bar.y, bar.w * scale.share(cell.ms), bar.h},
                     current ? theme.ink : mix(theme.soft, theme.dim, 0.6f), bar.h / 2);
  } else {
    // A low cell ends where a bar would, and words are higher than a bar.
    const float y = std::min(bar.center().y, r.bottom() - 7.5f * type);
    canvas.text_fit({in.x, y}, cell.no_time, {Font::words, 10.5f * type, theme.dim}, in.w);
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
    return {0, last, r.x, std::min((r.w - gaps) / float(last + 1), 340 * type)};
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

namespace {

// Columns of the list: names, bars with their times, and what each rung adds; that stands below where it has
// too little room.
struct ListColumns {
  float name = 0, time = 0, bar = 0, idea = 0, idea_x = 0;
  bool below = false;
};

ListColumns list_columns(const Canvas& canvas, const Theme& theme, float width, const LadderStrip& strip) {
  const float type = theme.type, gap = 14 * type, pad = 7 * type;
  ListColumns c;
  for (const LadderCell& cell : strip.cells) {
    c.name = std::max(c.name, canvas.measure(cell.name, {Font::words_semibold, 12.5f * type, {}}) + 1);
    const std::string time = cell.ms > 0 ? time_text(cell.ms) : cell.no_time;
    if (!time.empty()) c.time = std::max(c.time, canvas.measure(time, {Font::mono, 11.5f * type, {}}) + 1);
  }
  const bool timed = c.time > 0;
  const float rest = width - 2 * pad - c.name - gap - (timed ? c.time + gap : 0);
  c.below = rest < 420 * type;
  c.bar = !timed ? 0 : c.below ? rest : rest * 0.38f;
  c.idea_x = pad + (c.below ? 0 : c.name + gap + (timed ? c.bar + gap + c.time + gap : 0));
  c.idea = width - pad - c.idea_x;
  return c;
}

constexpr float kListRow = 24, kListIdea = 15;

float list_row_height(const Canvas& canvas, const Theme& theme, const LadderCell& cell,
                      const ListColumns& c) {
  const float lines =
      float(canvas.count_lines(cell.idea, {Font::words, 11.5f * theme.type, {}}, c.idea)) * kListIdea;
  return (c.below ? kListRow + lines + 4 : std::max(kListRow, lines + 8)) * theme.type;
}

// The title with what it is about and whose word that is; those stand below it where they do not fit beside.
struct ListHead {
  bool below = false;
  float about = 0, height = 0;  // height of what it is about, and of all
};

ListHead list_head(const Canvas& canvas, const Theme& theme, float width, const LadderStrip& strip) {
  const float type = theme.type;
  const TextStyle about{Font::words, 11.5f * type, {}};
  const float badge = strip.provenance ? badge_width(canvas, theme, *strip.provenance) + 12 : 0;
  const float all = canvas.measure(strip.title, {Font::words_semibold, 10.5f * type, {}}) + 10 +
                    canvas.measure(strip.about, about) + badge + 15 * type;
  if (all <= width) return {false, 0, 26 * type};
  const float lines = float(canvas.count_lines(strip.about, about, width - 14 * type)) * kListIdea * type;
  return {true, lines, 26 * type + lines};
}

void draw_list_head(Canvas& canvas, const Theme& theme, Rect r, const LadderStrip& strip) {
  const float type = theme.type, pad = 7 * type;
  const ListHead head = list_head(canvas, theme, r.w, strip);
  if (!head.below) return draw_title(canvas, theme, {r.x + pad, r.y + 10 * type}, strip, r.w - 2 * pad);
  canvas.text({r.x + pad, r.y + 10 * type}, strip.title, {Font::words_semibold, 10.5f * type, theme.dim});
  if (strip.provenance) draw_badge(canvas, theme, {r.right() - pad, r.y + 10 * type}, *strip.provenance);
  canvas.text_wrap({r.x + pad, r.y + 20 * type}, strip.about, {Font::words, 11.5f * type, theme.dim},
                   r.w - 2 * pad, kListIdea * type);
}

}  // namespace

float ladder_list_height(const Canvas& canvas, const Theme& theme, float width, const LadderStrip& strip) {
  const ListColumns columns = list_columns(canvas, theme, width, strip);
  float height = list_head(canvas, theme, width, strip).height;
  for (const LadderCell& cell : strip.cells) height += list_row_height(canvas, theme, cell, columns);
  return height;
}

void draw_ladder_list(Canvas& canvas, const Theme& theme, Rect r, const LadderStrip& strip) {
  const float type = theme.type, gap = 14 * type, pad = 7 * type;
  draw_list_head(canvas, theme, r, strip);
  const ListColumns c = list_columns(canvas, theme, r.w, strip);
  const BarScale scale(strip.cells);
  float y = r.y + list_head(canvas, theme, r.w, strip).height;
  for (int i = 0; i < int(strip.cells.size()); ++i) {
    const LadderCell& cell = strip.cells[std::size_t(i)];
    const Rect row{r.x, y, r.w, list_row_height(canvas, theme, cell, c)};
    if (cell.first_of_group) canvas.line({row.x, row.y}, {row.right(), row.y}, theme.line);
    if (i == strip.current) canvas.stroke_rect(row.inset(1), theme.ink, 1.2f, kCorner);
    const float middle = c.below ? row.y + kListRow * type / 2 + 1 : row.center().y;
    canvas.text({row.x + pad, middle}, cell.name, {Font::words_semibold, 12.5f * type, theme.ink});
    const float bar_x = row.x + pad + c.name + gap;
    if (cell.ms > 0) {
      const Rect bar{bar_x, middle - 3 * type, c.bar, 6 * type};
      canvas.fill_rect(bar, theme.soft, bar.h / 2);
      canvas.fill_rect({bar.x, bar.y, bar.w * scale.share(cell.ms), bar.h},
                       i == strip.current ? theme.ink : mix(theme.soft, theme.dim, 0.6f), bar.h / 2);
      canvas.text({bar.right() + gap + c.time, middle}, time_text(cell.ms),
                  {Font::mono, 11.5f * type, theme.ink, Align::right});
    } else if (!cell.no_time.empty()) {
      canvas.text({bar_x + c.bar + gap + c.time, middle}, cell.no_time,
                  {Font::words, 11.5f * type, theme.dim, Align::right});
    }
    const TextStyle idea{Font::words, 11.5f * type, theme.dim};
    const float step = kListIdea * type;
    const float top = c.below ? row.y + kListRow * type - 2 * type
                              : middle - float(canvas.count_lines(cell.idea, idea, c.idea)) * step / 2;
    canvas.text_wrap({row.x + c.idea_x, top}, cell.idea, idea, c.idea, step);
    y += row.h;
  }
}

}  // namespace lockstep
