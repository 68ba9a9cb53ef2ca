#include "picture.hpp"

#include <algorithm>
#include <cmath>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/labs/story.hpp"

namespace lockstep {
namespace {

constexpr float kBarShare = 0.26f, kLeastBar = 4, kMostBar = 11;

Color place_color(const Round& round) {
  switch (round.part) {
    case ReductionPart::load:
    case ReductionPart::rest:
    case ReductionPart::sums:
      return color::hbm;
    case ReductionPart::lanes:
    case ReductionPart::warps:
      return color::registers;
    default:
      return color::shared;
  }
}

struct TreeGeometry {
  Rect r;
  std::size_t rows;
  std::int64_t threads;
  float row_h() const { return r.h / float(std::max<std::size_t>(1, rows)); }
  float bar_h() const { return std::clamp(row_h() * kBarShare, kLeastBar, kMostBar); }
  float cell() const { return r.w / float(std::max<std::int64_t>(1, threads)); }
  float x(std::int64_t place) const { return r.x + (float(place) + 0.5f) * cell(); }
  // The bar of places lies at the lower end of its row: the lines that lead to it are above.
  float bar_y(std::size_t row) const { return r.y + float(row + 1) * row_h() - bar_h() - 2; }
};

// The block's warps as they lie below the bar: those at work strong, the others as a trace.
void draw_warps(Canvas& canvas, const Theme& theme, const TreeGeometry& g, std::size_t row,
                const Round& round, bool now) {
  const float y = g.bar_y(row), h = g.bar_h();
  for (std::int64_t warp = 0; warp * kWarpSize < g.threads; ++warp) {
    const std::int64_t last = std::min(g.threads, (warp + 1) * kWarpSize) - 1;
    const float x = g.x(warp * kWarpSize) - g.cell() / 2, w = g.x(last) + g.cell() / 2 - x;
    const bool at_work = round.warp_mask >> warp & 1;
    const Color ground = at_work ? mix(theme.ground, theme.dim, now ? 0.42f : 0.3f) : theme.soft;
    canvas.fill_rect({x + 0.5f, y, std::max(1.f, w - 1), h}, ground, 1.5f);
  }
}

// Places that hold what is needed; neighbours as one rectangle where each would be too narrow.
void draw_places(Canvas& canvas, const TreeGeometry& g, std::size_t row, const std::vector<std::uint8_t>& on,
                 Color fill) {
  const float gap = g.cell() >= 3.5f ? 1.f : 0.f, y = g.bar_y(row), h = g.bar_h();
  const auto count = std::int64_t(on.size());
  for (std::int64_t p = 0; p < count;) {
    std::int64_t end = p + 1;
    while (gap == 0 && end < count && on[std::size_t(end)] == on[std::size_t(p)]) ++end;
    if (on[std::size_t(p)])
      canvas.fill_rect({g.x(p) - g.cell() / 2, y, std::max(1.5f, g.cell() * float(end - p) - gap), h}, fill);
    p = end;
  }
}

// From where a value lies in the row above to where it is added; as far as it has come.
void draw_additions(Canvas& canvas, const Theme& theme, const TreeGeometry& g, std::size_t row,
                    const Round& round, bool now, float motion) {
  const float top = g.bar_y(row - 1) + g.bar_h() + 1, bottom = g.bar_y(row) - 1;
  const Color base = place_color(round);
  const auto draw = [&](const Addition& a) {
    const Color line =
        a.needed ? base.with_alpha(now ? 0.95f : 0.5f) : theme.dim.with_alpha(now ? 0.4f : 0.2f);
    const Vec2 from{g.x(a.from), top}, to{g.x(a.to), bottom};
    const float t = now ? motion : 1;
    canvas.line(from, {from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t}, line,
                a.needed && now ? 1.4f : 1);
  };
  for (const Addition& a : round.additions)
    if (!a.needed) draw(a);
  for (const Addition& a : round.additions)
    if (a.needed) draw(a);
}

}  // namespace

std::vector<TreeRow> tree_rows(const Tree& tree) {
  std::vector<TreeRow> rows;
  for (const Round& round : tree.rounds) {
    switch (round.part) {
      case ReductionPart::other:
      case ReductionPart::ask:
        continue;
      case ReductionPart::load:
      case ReductionPart::rest:
        rows.push_back({&round, tr("load")});
        continue;
      case ReductionPart::sums:
        rows.push_back({&round, tr("all blocks")});
        continue;
      case ReductionPart::share:
        if (!round.additions.empty()) rows.push_back({&round, tr("to shared")});
        continue;
      case ReductionPart::tree:
      case ReductionPart::store:
        continue;
      case ReductionPart::add:
      case ReductionPart::lanes:
      case ReductionPart::warps:
        rows.push_back({&round, "s = " + number_text(round.distance)});
    }
  }
  return rows;
}

RowsNow rows_now(const std::vector<TreeRow>& rows, int step) {
  RowsNow now;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int first = rows[i].round->first_step;
    if (first > step) break;
    if (now.last < 0 || first != rows[std::size_t(now.last)].round->first_step) now.first = int(i);
    now.last = int(i);
  }
  return now;
}

void draw_tree(Canvas& canvas, const Theme& theme, Rect r, const std::vector<TreeRow>& rows,
               std::int64_t threads, RowsNow now, float motion) {
  const TreeGeometry g{r, rows.size(), threads};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Round& round = *rows[i].round;
    const bool done = int(i) <= now.last, at_work = done && int(i) >= now.first;
    if (i > 0 && done) draw_additions(canvas, theme, g, i, round, at_work, motion);
    draw_warps(canvas, theme, g, i, round, at_work);
    const Color fill = mix(theme.panel, place_color(round), at_work ? 1.f : done ? 0.62f : 0.3f);
    draw_places(canvas, g, i, round.holds, fill);
  }
}

namespace {

// --- the stage

// Where the pictures stand.
struct StageRects {
  Rect band, tree;
  float label = 0;
  TreeColumns columns;
};

StageRects stage_rects(Rect stage, const Theme& theme, bool presentation) {
  const float type = theme.type, pad = 28;
  const Rect area{stage.x + pad, stage.y + 14, stage.w - 2 * pad, stage.h - 26};
  StageRects at;
  const float band_h = 58 * type;
  const bool band = !presentation && area.h > 330 * type;
  if (band) at.band = {area.x, area.y, area.w, band_h - 12 * type};
  at.label = area.w >= 340 * type ? 66 * type : 0;
  if (area.w >= 520 * type)
    at.columns = {88 * type, 52 * type, 84 * type};
  else if (area.w >= 400 * type)
    at.columns = {0, 52 * type, 84 * type};
  const float top = area.y + (band ? band_h : 0) + 30 * type;
  at.tree = {area.x + at.label, top, area.w - at.label - at.columns.width(), area.bottom() - top};
  return at;
}

bool loads_elements(const WarpInstruction& i) { return i.kind == Kind::load || i.kind == Kind::box_source; }

const ViewInfo* array_of(const ReductionScene& scene, const Tree& tree) {
  const auto& launches = scene.run().launches;
  const Launch& launch = launches.at(std::size_t(tree.launch));
  for (const Step& step : scene.steps.all_parts())
    if (step.launch == tree.launch && !step.barrier && loads_elements(step.instruction) &&
        step.instruction.view < kFirstSharedView)
      return launch.view(step.instruction.view);
  return nullptr;
}

// How strongly a part of the array is drawn that is loaded in step `loaded`.
float strength_of(int loaded, int step) { return loaded == step ? 1.f : loaded < step ? 0.55f : 0.2f; }

// The array with what the block loads of it: so far, now, and later; and what was asked for and is on its
// way.
void draw_band(Canvas& canvas, const Theme& theme, Rect r, const ReductionScene& scene, const Tree& tree,
               int step) {
  const ViewInfo* view = array_of(scene, tree);
  if (!view || view->elements() == 0) return;
  const float type = theme.type, h = 14 * type;
  const Launch& launch = scene.run().launches.at(std::size_t(tree.launch));
  const std::vector<std::string> args{view->name, grouped(std::int64_t(view->elements())),
                                      number_text(launch.trace.block), grouped(launch.blocks()),
                                      number_text(tree.launch + 1)};
  canvas.text_fit({r.x, r.y + 8 * type},
                  tree.on_their_way(step) > 0
                      ? tr("{0}, {1} elements: what block {2} of {3} loads; framed: on its way", args)
                  : scene.run().launches.size() > 1
                      ? tr("{0}, {1} elements: what block {2} of {3} loads in launch {4}", args)
                      : tr("{0}, {1} elements: what block {2} of {3} loads", args),
                  {Font::words, 12 * type, theme.ink}, r.w);
  const Rect bar{r.x, r.y + 22 * type, r.w, h};
  canvas.fill_rect(bar, theme.soft, 2);
  const auto x = [&](std::int64_t element) {
    return bar.x + bar.w * float(double(element) / double(view->elements()));
  };
  const auto place = [&](Span span) {
    return Rect{x(span.first), bar.y, std::max(1.5f, x(span.first + span.count) - x(span.first)), h};
  };
  for (const Round& round : tree.rounds)
    for (int s = round.first_step; s < round.first_step + round.steps; ++s) {
      const Span span = loaded_by(scene, s);
      if (span.count == 0 || span.first >= std::int64_t(view->elements())) continue;
      canvas.fill_rect(place(span), mix(theme.panel, color::hbm, strength_of(s, step)), 1);
    }
  for (const Chunk& chunk : tree.chunks)
    if (chunk.on_its_way(step)) canvas.stroke_rect(place(chunk.elements).inset(1), color::l2, 2, 1);
}

void draw_head(Canvas& canvas, const Theme& theme, const StageRects& at, std::int64_t threads) {
  const float y = at.tree.y - 16 * theme.type;
  const TextStyle style{Font::words, 11.5f * theme.type, theme.dim, Align::right};
  const std::int64_t warps = (threads + kWarpSize - 1) / kWarpSize;
  const float each = at.tree.w / float(std::max<std::int64_t>(1, warps));
  const TextStyle center{Font::words, 11.5f * theme.type, theme.dim, Align::center};
  if (canvas.measure(tr("warp {0}", {"00"}), center) < each - 4)
    for (std::int64_t warp = 0; warp < warps; ++warp)
      canvas.text({at.tree.x + each * (float(warp) + 0.5f), y}, tr("warp {0}", {number_text(warp)}), center);
  else
    canvas.text_fit({at.tree.x, y}, tr("the block's {0} warps", {number_text(warps)}),
                    {Font::words, 11.5f * theme.type, theme.dim}, at.tree.w);
  float x = at.tree.right();
  const auto column = [&](float width, const std::string& title) {
    if (width <= 0) return;
    x += width;
    canvas.text_fit({x, y}, title, style, width - 8);
  };
  column(at.columns.adds, tr("adds"));
  column(at.columns.warps, tr("warps"));
  column(at.columns.wavefronts, tr("wavefronts"));
}

// What a story may cover.
void mark_columns(Canvas& canvas, const StageRects& at) {
  const float x = at.tree.right() + at.columns.adds;
  if (at.columns.warps > 0) canvas.landmark("warps", {x + 8, at.tree.y, at.columns.warps - 6, at.tree.h});
  if (at.columns.wavefronts > 0)
    canvas.landmark("wavefronts",
                    {x + at.columns.warps + 8, at.tree.y, at.columns.wavefronts - 6, at.tree.h});
}

struct RowText {
  std::string adds, warps, wavefronts;
  bool too_many_warps = false, conflicts = false;
};

std::int64_t fewest_warps(const Round& round) {
  return std::max<std::int64_t>(1, (round.needed + kWarpSize - 1) / kWarpSize);
}

RowText row_text(const Round& round) {
  RowText text;
  if (!round.additions.empty() && round.part != ReductionPart::share)
    text.adds = round.lanes == round.needed
                    ? number_text(round.needed)
                    : tr("{0} of {1}", {number_text(round.needed), number_text(round.lanes)});
  text.warps = number_text(round.warps);
  text.too_many_warps = round.part == ReductionPart::add && round.warps > fewest_warps(round);
  if (round.wavefronts > 0) text.wavefronts = number_text(round.wavefronts);
  text.conflicts = round.wavefronts > round.fewest_wavefronts;
  if (text.conflicts)
    text.wavefronts = tr("{0} for {1}", {text.wavefronts, number_text(round.fewest_wavefronts)});
  return text;
}

void draw_row_words(Canvas& canvas, const Theme& theme, const StageRects& at, Rect row,
                    const TreeRow& tree_row, bool now) {
  const float type = theme.type, y = row.bottom() - std::min(row.h / 2, 9 * type);
  const Color ink = now ? theme.ink : theme.dim;
  if (at.label > 0)
    canvas.text_fit({at.tree.x - at.label, y}, tree_row.label,
                    {now ? Font::words_semibold : Font::words, 12.5f * type, ink}, at.label - 6);
  const RowText text = row_text(*tree_row.round);
  float x = at.tree.right();
  const auto column = [&](float width, const std::string& what, bool trouble) {
    if (width <= 0) return;
    x += width;
    canvas.text_fit({x, y}, what,
                    {Font::mono, 11.5f * type, trouble ? theme.readable(color::trouble) : ink, Align::right},
                    width - 8);
  };
  column(at.columns.adds, text.adds, false);
  column(at.columns.warps, text.warps, text.too_many_warps);
  column(at.columns.wavefronts, text.wavefronts, text.conflicts);
}

// What the pointer is on: who adds what.
std::string place_story(const Round& round, std::int64_t place) {
  for (const Addition& a : round.additions) {
    if (a.to != place) continue;
    const std::vector<std::string> args{number_text(a.to), number_text(a.from)};
    return a.needed ? tr("to place {0} is added what stands at {1}", args)
                    : tr("to place {0} is added what stands at {1}: nobody needs it", args);
  }
  if (std::size_t(place) >= round.holds.size()) return "";
  return round.holds[std::size_t(place)] ? tr("place {0}: a value that is still needed", {number_text(place)})
                                         : tr("place {0}: nothing that is needed", {number_text(place)});
}

}  // namespace

void ReductionScene::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  const Tree* tree = tree_of(*this, in.view.step);
  if (!tree) return;
  // A launch that adds nothing up gets the next one ready: that one's tree is still to come.
  if (tree_rows(*tree).empty() && std::size_t(tree->launch) + 1 < trees.size()) ++tree;
  const Theme& theme = in.theme;
  const auto rows = tree_rows(*tree);
  const StageRects at = stage_rects(in.area, theme, in.presentation);
  if (at.band.h > 0) {
    canvas.landmark("array", at.band);
    draw_band(canvas, theme, at.band, *this, *tree, in.view.step);
  }
  if (rows.empty()) return;
  const RowsNow now = rows_now(rows, in.view.step);
  const auto at_work = [&](std::size_t i) { return int(i) >= now.first && int(i) <= now.last; };
  canvas.landmark("tree", at.tree);
  mark_columns(canvas, at);
  draw_head(canvas, theme, at, tree->threads);
  // Rows are as high as they need to be told apart, and no higher.
  Rect r = at.tree;
  r.h = std::min(r.h, 64 * theme.type * float(rows.size()));
  const float row_h = r.h / float(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Rect row{r.x - at.label, r.y + float(i) * row_h, r.w + at.label + at.columns.width(), row_h};
    if (at_work(i))
      canvas.fill_rect({row.x - 6, row.y + 1, row.w + 12, row.h},
                       mix(theme.ground, theme.highlight, theme.dark ? 0.3f : 0.55f), 4);
    draw_row_words(canvas, theme, at, row, rows[i], at_work(i));
  }
  const bool moving = now.last >= 0 && rows[std::size_t(now.last)].round->first_step == in.view.step;
  draw_tree(canvas, theme, r, rows, tree->threads, now, moving ? in.motion : 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Hit hit = canvas.hit("stage/round/" + number_text(std::int64_t(i)),
                               {r.x - at.label, r.y + float(i) * row_h, r.w + at.label, row_h});
    if (hit.clicked) events.go_to_step = rows[i].round->first_step;
    if (!hit.hovered || hit.pointer.x < r.x) continue;
    const auto place = std::int64_t((hit.pointer.x - r.x) / r.w * float(tree->threads));
    canvas.tooltip(place_story(*rows[i].round, place));
  }
}

void ReductionScene::card(Canvas& canvas, const StageInput& in) const {
  const Tree* tree = tree_of(*this, in.view.step);
  if (!tree) return;
  const auto rows = tree_rows(*tree);
  draw_tree(canvas, in.theme, in.area, rows, tree->threads, {0, int(rows.size()) - 1}, 1);
}

}  // namespace lockstep
