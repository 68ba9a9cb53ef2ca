// The stage: the followed warp's 32 lanes over its issue slots, and below it the block's warps side by side.
#include <algorithm>
#include <bit>
#include <cmath>

#include "app/draw/language.hpp"
#include "app/draw/legend.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

constexpr int kMostColumns = 48;  // of one warp's instructions: more are shown around the current one

// One instruction of the followed warp, where it stands.
struct Column {
  const IssueStep* step = nullptr;
  int axis_step = 0;  // where a click leads
  float x = 0, w = 0;
};

struct Columns {
  std::vector<Column> shown;
  std::size_t before = 0, behind = 0;  // that are not shown
  bool whole = true;                   // all are
  float right = 0;                     // where the last one ends
};

// Steps of the axis that the warp comes to.
std::vector<int> own_steps(const BlockIssue& block, const WarpIssue& warp) {
  std::vector<int> own;
  for (std::size_t s = 0; s < block.places.size(); ++s)
    if (block.places[s].of_warp[warp.warp] >= 0) own.push_back(int(s));
  return own;
}

// So much room the accesses have, where there are no more, whatever their number: slots stay as wide.
constexpr double kAccessesAcross = 6;

// An instruction is as wide as it takes slots; accesses to memory, a slot each, as wide as can be seen. A
// warp that issues less than the others ends further left.
Columns columns_of(const BlockIssue& block, const WarpIssue& warp, int now, Rect r, float least) {
  Columns columns;
  const std::vector<int> own = own_steps(block, warp);
  const auto current = std::size_t(std::lower_bound(own.begin(), own.end(), now) - own.begin());
  const std::size_t most = kMostColumns;
  const std::size_t first =
      own.size() <= most ? 0 : std::min(current > most / 2 ? current - most / 2 : 0, own.size() - most);
  const std::size_t end = std::min(own.size(), first + most);
  columns.before = first, columns.behind = own.size() - end;
  double slots = 0, fixed = 0;
  for (std::size_t i = first; i < end; ++i) {
    const IssueStep& step = warp.steps[std::size_t(block.places[std::size_t(own[i])].of_warp[warp.warp])];
    columns.shown.push_back({&step, own[i], 0, 0});
    if (step.arithmetic())
      slots += double(step.slots);
    else
      fixed += least;
  }
  columns.whole = columns.before + columns.behind == 0;
  if (columns.whole) {
    slots = std::max(slots, double(block.slots_across));
    fixed = std::max(fixed, kAccessesAcross * double(least));
  }
  const double scale = std::max(0.0, (double(r.w) - fixed) / std::max(1.0, slots));
  float x = r.x;
  for (Column& column : columns.shown) {
    column.x = x;
    column.w = column.step->arithmetic() ? float(double(column.step->slots) * scale) : least;
    x += column.w;
  }
  columns.right = x;
  return columns;
}

// Strong where it is, weaker what is done, weakest what is to come.
float strength(int axis_step, int now) { return axis_step == now ? 1.f : axis_step < now ? 0.7f : 0.4f; }

Color waiting(const Theme& theme) { return mix(theme.ground, theme.dim, theme.dark ? 0.24f : 0.2f); }

// Lanes that this or a later instruction of the warp still has.
std::vector<std::uint32_t> still_there(const Columns& columns, const WarpIssue& warp) {
  std::vector<std::uint32_t> there(columns.shown.size(), 0);
  std::uint32_t later = 0;
  if (columns.behind > 0) {
    const IssueStep* last = columns.shown.back().step;
    for (const IssueStep* s = last; s < warp.steps.data() + warp.steps.size(); ++s)
      later |= s->instruction.lanes;
  }
  for (std::size_t i = columns.shown.size(); i-- > 0;)
    later |= columns.shown[i].step->instruction.lanes, there[i] = later;
  return there;
}

void draw_cells(Canvas& canvas, const Theme& theme, Rect r, const BlockIssue& block, const WarpIssue& warp,
                const Columns& columns, int now, float motion) {
  const float row = r.h / 32, gap = row >= 5 ? 1.f : row >= 2.5f ? 0.6f : 0.f;
  const auto there = still_there(columns, warp);
  for (std::size_t c = 0; c < columns.shown.size(); ++c) {
    const Column& column = columns.shown[c];
    const WarpInstruction& i = column.step->instruction;
    const float w = std::max(1.f, column.w - (column.w >= 4 ? 1.5f : 0));
    const bool is_now = column.axis_step == now;
    const Color works = mix(theme.panel, place_color(block, i.kind, i.line), strength(column.axis_step, now));
    for (int lane = 0; lane < 32;) {
      const auto state = [&](int l) { return (i.lanes >> l & 1) * 2 + (there[c] >> l & 1); };
      int end = lane + 1;
      while (gap == 0 && end < 32 && state(end) == state(lane)) ++end;
      const Rect cell{column.x, r.y + float(lane) * row, w, float(end - lane) * row - gap};
      if (i.lanes >> lane & 1) {
        canvas.fill_rect(cell, is_now && motion < 1 ? waiting(theme) : works, 1);
        if (is_now && motion < 1) canvas.fill_rect({cell.x, cell.y, cell.w * motion, cell.h}, works, 1);
      } else if (there[c] >> lane & 1) {
        canvas.fill_rect(cell, waiting(theme), 1);
      } else if (cell.w > 6) {  // ended: nothing but where it was
        canvas.line({cell.x, cell.y + cell.h / 2}, {cell.x + cell.w, cell.y + cell.h / 2}, theme.soft, 1);
      }
      lane = end;
    }
    if (is_now) {
      const Rect frame{column.x - 1.5f, r.y - 2, std::max(3.f, w) + 3, r.h + 3};
      canvas.stroke_rect(frame, theme.dark ? theme.ground : theme.ink, 3.5f, 2);
      canvas.stroke_rect(frame, color::current, 1.5f, 2);
    }
  }
}

// "48 of 61 instructions", at the right end; gives where it begins.
float draw_shown(Canvas& canvas, const Theme& theme, Rect r, const Columns& columns) {
  if (columns.before + columns.behind == 0) return r.right() + 30 * theme.type;
  const std::size_t all = columns.shown.size() + columns.before + columns.behind;
  const std::string words = tr("{0} of {1} instructions",
                               {grouped(std::int64_t(columns.shown.size())), grouped(std::int64_t(all))});
  const TextStyle style{Font::words, 11.5f * theme.type, theme.dim, Align::right};
  canvas.text({r.right(), r.y + 8 * theme.type}, words, style);
  return r.right() - canvas.measure(words, style) - 10 * theme.type;
}

// Above the columns, where there is room: the line, and how many slots. An access in front of all
// instructions is named to its left, so that the first of them has its name, too.
void draw_column_heads(Canvas& canvas, const Theme& theme, Rect r, const Columns& columns, int now) {
  const float type = theme.type, end = draw_shown(canvas, theme, r, columns);
  float free = r.x - 30 * type;
  bool in_front = columns.before == 0;
  for (const Column& column : columns.shown) {
    in_front = in_front && !column.step->arithmetic();
    const bool is_now = column.axis_step == now;
    const std::string words = column.step->arithmetic()
                                  ? tr("line {0}", {number_text(column.step->instruction.line)})
                              : reads(column.step->instruction.kind) ? tr("load")
                                                                     : tr("store");
    const TextStyle style{is_now ? Font::words_semibold : Font::words, 11.5f * type,
                          is_now ? theme.ink : theme.dim};
    const float wide = canvas.measure(words, style);
    const float x = column.step->arithmetic() ? column.x + 2
                    : in_front                ? column.x + column.w - wide - 4
                                              : column.x;
    if (x < free || x + wide > end) continue;
    if (column.step->arithmetic() && wide > column.w) continue;
    canvas.text({x, r.y + 6 * type}, words, style);
    if (column.step->arithmetic()) {
      const std::string slots = grouped(column.step->slots);
      const TextStyle mono{Font::mono, 10.5f * type, theme.dim};
      if (canvas.measure(slots, mono) <= column.w) canvas.text({x, r.y + 21 * type}, slots, mono);
    }
    free = x + wide + (in_front ? 0 : 8 * type);
  }
}

void draw_lane_names(Canvas& canvas, const Theme& theme, Rect r) {
  const TextStyle style{Font::mono, 10.5f * theme.type, theme.dim, Align::right};
  canvas.text({r.x - 8, r.y - 13 * theme.type}, tr("lane"),
              {Font::words, 11.5f * theme.type, theme.dim, Align::right});
  for (const int lane : {0, 8, 16, 24, 31})
    canvas.text({r.x - 8, r.y + (float(lane) + 0.5f) * r.h / 32}, number_text(lane), style);
}

// What one warp issues in all, from left to right; how full a slot is filled, so many lanes work in it.
void draw_warp_bar(Canvas& canvas, const Theme& theme, Rect r, const BlockIssue& block, const WarpIssue& warp,
                   int now) {
  const double scale = double(r.w) / double(std::max<std::int64_t>(1, block.slots_across));
  const Rect all{r.x, r.y, float(double(warp.slots) * scale), r.h};
  canvas.fill_rect(all, waiting(theme), 1.5f);
  // Thinner than a pixel: what stands side by side is one, in the colour of what takes most of it.
  for (std::size_t s = 0; s < warp.steps.size();) {
    const IssueStep* most = &warp.steps[s];
    std::int64_t slots = 0;
    double lanes = 0;
    std::size_t end = s;
    const auto goes_on = [&](const IssueStep& next) {
      return double(slots) * scale < 1 ||
             (next.instruction.line == most->instruction.line && next.lanes() == most->lanes());
    };
    for (; end < warp.steps.size() && (end == s || goes_on(warp.steps[end])); ++end) {
      const IssueStep& next = warp.steps[end];
      if (next.slots > most->slots) most = &next;
      slots += next.slots, lanes += double(next.slots) * next.lanes();
    }
    const float x = r.x + float(double(warp.steps[s].first) * scale), w = float(double(slots) * scale);
    const float h = r.h * float(lanes / (32.0 * double(std::max<std::int64_t>(1, slots))));
    const Color base = place_color(block, most->instruction.kind, most->instruction.line);
    canvas.fill_rect({x, r.bottom() - h, std::max(0.75f, w - (w > 6 ? 1.f : 0)), h},
                     mix(theme.panel, base, 0.85f));
    s = end;
  }
  if (now >= 0 && std::size_t(now) < warp.steps.size()) {
    const IssueStep& step = warp.steps[std::size_t(now)];
    const float x = r.x + float(double(step.first) * scale);
    canvas.stroke_rect({x - 0.5f, r.y - 1, std::max(3.f, float(double(step.slots) * scale)), r.h + 2},
                       theme.ink, 1.2f, 1);
  }
}

// How many slots the whole width is.
void draw_scale(Canvas& canvas, const Theme& theme, Rect r, const BlockIssue& block) {
  const float type = theme.type, y = r.y + 9 * type;
  const std::string words =
      tr("whole width: {0} issue slots; a load or store is one, drawn wider", {grouped(block.slots_across)});
  const TextStyle style{Font::words, 11.5f * type, theme.dim, Align::center};
  const float wide = std::min(canvas.measure(words, style), r.w - 40 * type),
              half = (r.w - wide) / 2 - 8 * type;
  for (const float x : {r.x, r.right()}) canvas.line({x, y - 4 * type}, {x, y + 4 * type}, theme.dim, 1);
  canvas.line({r.x, y}, {r.x + half, y}, theme.dim, 1);
  canvas.line({r.right() - half, y}, {r.right(), y}, theme.dim, 1);
  if (canvas.measure(words, style) <= wide) return canvas.text({r.center().x, y}, words, style);
  canvas.text_fit({r.x + half + 8 * type, y}, words, {Font::words, 11.5f * type, theme.dim}, wide);
}

struct StageRects {
  Rect legend, heads, cells, scale, title, bars;
  float label = 0, figures = 0, bar = 0;
};

StageRects stage_rects(Rect stage, const Theme& theme, std::size_t warps, float legend_h, bool presentation) {
  const float type = theme.type, pad = 26;
  const Rect area{stage.x + pad, stage.y + 12, stage.w - 2 * pad, stage.h - 24};
  StageRects at;
  at.label = 52 * type;
  at.figures = area.w >= 460 * type ? 164 * type : 0;
  at.legend = {area.x + at.label, area.y, area.w - at.label, legend_h};
  at.heads = {area.x + at.label, at.legend.bottom() + 6 * type, area.w - at.label, 33 * type};
  const float title_h = 26 * type, scale_h = 20 * type;
  const float rest = area.bottom() - at.heads.bottom() - title_h - scale_h;
  const float most = rest * (presentation ? 0.3f : 0.42f);
  at.bar = std::clamp(most / float(std::max<std::size_t>(1, warps)), 3.f, 26 * type);
  const float bars_h = std::min(most, at.bar * float(warps));
  at.cells = {at.heads.x, at.heads.bottom(), at.heads.w, rest - bars_h};
  at.cells.h = std::min(at.cells.h, 32 * 22 * type);
  at.scale = {at.cells.x, at.cells.bottom(), at.cells.w, scale_h};
  at.title = {area.x, at.scale.bottom(), area.w, title_h};
  at.bars = {at.heads.x, at.title.bottom(), at.heads.w - at.figures, bars_h};
  return at;
}

struct Idle {
  bool waits = false, gone = false;
};

// What lanes do that a warp of the block leaves idle in a slot.
Idle idle_lanes(const BlockIssue& block) {
  Idle idle;
  for (const WarpIssue& warp : block.warps) {
    std::uint32_t later = 0;
    for (auto step = warp.steps.rbegin(); step != warp.steps.rend(); ++step) {
      later |= step->instruction.lanes;
      idle.waits |= (later & ~step->instruction.lanes) != 0, idle.gone |= (warp.threads & ~later) != 0;
    }
  }
  return idle;
}

std::vector<LegendItem> legend_of(const Theme& theme, const BlockIssue& block) {
  std::vector<LegendItem> items;
  const Idle idle = idle_lanes(block);
  for (const std::uint16_t line : block.sides)
    items.push_back({tr("works, line {0}", {number_text(line)}), place_color(block, Kind::arithmetic, line)});
  if (idle.waits)
    items.push_back(
        {block.predicated ? tr("its condition is false: keeps what it has") : tr("waits: its slots are lost"),
         waiting(theme)});
  if (idle.gone) items.push_back({tr("gone: its slots are lost, too"), theme.dim, true});
  return items;
}

std::string lane_story(const WarpIssue& warp, const IssueStep& step, int lane) {
  const std::vector<std::string> args{number_text(lane), number_text(step.instruction.line),
                                      grouped(step.slots), number_text(std::int64_t(warp.warp))};
  if (!(warp.threads >> lane & 1)) return tr("warp {3} has no lane {0}: the block is smaller", args);
  if (!(step.instruction.lanes >> lane & 1))
    return step.slots == 1 ? tr("lane {0} is not active in this slot (line {1})", args)
                           : tr("lane {0} is not active in these {2} slots (line {1})", args);
  return step.arithmetic() ? step.slots == 1 ? tr("lane {0} computes here: line {1}, one slot", args)
                                             : tr("lane {0} computes here: line {1}, {2} slots", args)
                           : tr("lane {0} is active here: line {1}", args);
}

// The block's warps side by side, the followed one on a ground of its own.
void draw_warps(Canvas& canvas, const StageInput& in, const StageRects& at, const DivergenceScene& scene,
                StageEvents& events) {
  const Theme& theme = in.theme;
  const float type = theme.type;
  canvas.landmark("warps", {at.bars.x - at.label - 6, at.title.y + 6, at.bars.w + at.label + at.figures + 12,
                            at.bars.bottom() + 3 - at.title.y - 6});
  canvas.text_fit({at.title.x, at.title.center().y + 2 * type},
                  tr("The block's warps: as long as what they issue, as full as their lanes are at work"),
                  {Font::words, 12 * type, theme.ink}, at.title.w);
  const BlockIssue& block = scene.block;
  const WarpIssue* warp = scene.warp_of(in.view);
  const ProgramPlace* place = scene.place_of(in.view.step);
  for (std::size_t w = 0; w < block.warps.size(); ++w) {
    const WarpIssue& of = block.warps[w];
    const float y = at.bars.y + float(w) * at.bar;
    if (y + at.bar > at.bars.bottom() + 1) break;
    const bool followed = &of == warp;
    const Rect bar{at.bars.x, y + 1, at.bars.w, std::max(2.f, at.bar - (at.bar > 10 ? 5.f : 1.f))};
    if (followed)
      canvas.fill_rect({bar.x - at.label - 4, y - 1, at.bars.w + at.label + at.figures + 8, at.bar},
                       mix(theme.ground, theme.highlight, theme.dark ? 0.3f : 0.55f), 3);
    draw_warp_bar(canvas, theme, bar, block, of, place ? place->of_warp[w] : -1);
    if (at.bar >= 13 * type) {
      const TextStyle style{followed ? Font::words_semibold : Font::words, 11.5f * type,
                            followed ? theme.ink : theme.dim};
      canvas.text_fit({bar.x - at.label, bar.center().y}, tr("warp {0}", {number_text(std::int64_t(w))}),
                      style, at.label - 4);
      if (at.figures > 0)
        canvas.text_fit({bar.right() + at.figures, bar.center().y},
                        tr("{0} slots, {1}", {grouped(of.slots), percent_text(of.efficiency())}),
                        {Font::mono, 11.5f * type, followed ? theme.ink : theme.dim, Align::right},
                        at.figures - 8);
    }
    const Hit hit = canvas.hit("stage/warp/" + number_text(std::int64_t(w)),
                               {bar.x - at.label, y, bar.w + at.label, at.bar});
    if (hit.clicked) events.follow_warp = std::int64_t(w);
    if (hit.hovered)
      canvas.tooltip(tr("warp {0}: {1} issue slots, {2} of their lanes at work",
                        {number_text(std::int64_t(w)), grouped(of.slots), percent_text(of.efficiency())}));
  }
}

}  // namespace

void DivergenceScene::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  const WarpIssue* warp = warp_of(in.view);
  if (!warp || steps.empty()) return;
  const Theme& theme = in.theme;
  const float type = theme.type;
  const auto legend = legend_of(theme, block);
  const float legend_h = legend_height(canvas, theme, in.area.w - 52 - 52 * type, legend);
  const StageRects at = stage_rects(in.area, theme, block.warps.size(), legend_h, in.presentation);
  // With the legend, the lanes' numbers and what frames the current instruction.
  const float names = at.label - 12 * type;
  const float top = at.legend.y + 3 * type;  // below the headline's badges
  canvas.landmark("lanes", {at.cells.x - names, top, at.cells.w + names + 4, at.scale.bottom() - top});
  draw_legend(canvas, theme, at.legend, legend);
  const Columns columns = columns_of(block, *warp, in.view.step, at.cells, 12 * type);
  draw_column_heads(canvas, theme, at.heads, columns, in.view.step);
  draw_lane_names(canvas, theme, at.cells);
  if (columns.whole) draw_scale(canvas, theme, at.scale, block);
  draw_cells(canvas, theme, at.cells, block, *warp, columns, in.view.step, in.motion);
  for (std::size_t c = 0; c < columns.shown.size(); ++c) {
    const Column& column = columns.shown[c];
    const Hit hit = canvas.hit("stage/column/" + number_text(std::int64_t(c)),
                               {column.x, at.cells.y, column.w, at.cells.h});
    if (hit.clicked) events.go_to_step = column.axis_step;
    if (!hit.hovered) continue;
    const int lane = std::clamp(int((hit.pointer.y - at.cells.y) / at.cells.h * 32), 0, 31);
    canvas.tooltip(lane_story(*warp, *column.step, lane));
  }
  draw_warps(canvas, in, at, *this, events);
}

void DivergenceScene::card(Canvas& canvas, const StageInput& in) const {
  const WarpIssue* warp = warp_of(in.view);
  if (!warp || steps.empty()) return;
  const Columns columns = columns_of(block, *warp, steps.count(), in.area, 6);
  draw_cells(canvas, in.theme, in.area, block, *warp, columns, steps.count(), 1);
}

}  // namespace lockstep
