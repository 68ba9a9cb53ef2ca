// The stage: the levels with what is known of each, the places that the steps read, and the recorded walk.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
#include "app/model/latency_levels.hpp"
#include "kernels/ladder.hpp"
#include "scene.hpp"

namespace lockstep {
namespace {

// --- the pyramid -------------------------------------------------------------------------------------------

// A column of the table: what it says of a level, in up to two lines.
struct LevelColumn {
  std::string title, badge;
  float share = 0;  // of the table's width
  std::vector<std::string> (*lines)(const LevelFigures&);
};

std::string dash(const std::string& text) { return text.empty() ? "—" : text; }

std::string scope_text(MemoryLevel level) {
  switch (level) {
    case MemoryLevel::registers:
      return tr("a thread's own");
    case MemoryLevel::shared:
      return tr("a block's own");
    case MemoryLevel::l1:
      return tr("together with shared");
    case MemoryLevel::far_shared:
      return tr("within a cluster");
    case MemoryLevel::l2:
    case MemoryLevel::hbm:
      return tr("for all SMs");
    case MemoryLevel::host:
      break;
  }
  return tr("over the link");
}

std::vector<std::string> holds_lines(const LevelFigures& f) {
  if (!f.capacity_bytes) return {"—", scope_text(f.level)};
  const std::string bytes = bytes_text(*f.capacity_bytes);
  return {f.level <= MemoryLevel::far_shared ? tr("{0} per SM", {bytes}) : bytes, scope_text(f.level)};
}
std::vector<std::string> specified_lines(const LevelFigures& f) {
  return {"—", f.specified_bytes_per_s ? rate_text(*f.specified_bytes_per_s) : "—"};
}
std::vector<std::string> published_lines(const LevelFigures& f) {
  return {f.published_cycles ? published_cycles_text(f) : "—",
          f.published_bytes_per_s ? published_text(*f.published_bytes_per_s, true) : "—"};
}
std::vector<std::string> measured_lines(const LevelFigures& f) {
  std::string rate = f.bytes_per_s ? rate_text(*f.bytes_per_s) : "";
  if (f.copied_bytes_per_s) rate = tr("{0}, copy {1}", {rate, rate_text(*f.copied_bytes_per_s)});
  if (f.near_bytes_per_s && f.far_bytes_per_s)
    rate =
        tr("{0}; near {1}, far {2}", {rate, rate_text(*f.near_bytes_per_s), rate_text(*f.far_bytes_per_s)});
  if (f.pinned_in && f.pageable_in)
    rate = tr("{0}; copy {1}, pageable {2}", {rate, rate_text(*f.pinned_in), rate_text(*f.pageable_in)});
  return {dash(latency_text(f)), dash(rate)};
}

std::vector<LevelColumn> columns_for(float width, float type, const MemoryScene& scene) {
  const LevelColumn holds{tr("HOLDS"), "", 1, holds_lines},
      specified{tr("SPECIFIED"), "", 0.85f, specified_lines},
      published{tr("PUBLISHED"), "", 1.15f, published_lines},
      measured{tr("MEASURED"), scene.has_recording() ? scene.stairs_provenance() : "", 1.45f, measured_lines};
  if (width >= 560 * type) return {holds, specified, published, measured};
  if (width >= 400 * type) return {holds, published, measured};
  return {measured};
}

constexpr float kRow = 38, kLeastRow = 29, kHead = 24, kPyramid = 0.2f, kPyramidOfRoom = 0.3f;

// Wider from level to level; the one that answers is outlined and the others are pale.
void draw_box(Canvas& canvas, const Theme& theme, Rect r, MemoryLevel level, bool answers) {
  const float share = 0.75f + 0.05f * float(level);
  const Rect box{r.center().x - r.w * share / 2, r.y + 2, r.w * share, r.h - 4};
  const Color fill = answers ? color_of(level) : mix(theme.panel, color_of(level), 0.45f);
  canvas.fill_rect(box, fill, 3);
  if (answers) canvas.stroke_rect(box.inset(-2), color::current, 3, 4);
  canvas.text_fit(box.center(), name_of(level),
                  {Font::words_semibold, 10.5f * theme.type, Theme::on(fill), Align::center}, box.w - 4);
}

float levels_height(const Theme& theme, float row) { return (kHead + row * kMemoryLevels) * theme.type; }

void draw_title(Canvas& canvas, const Theme& theme, Vec2 at, const LevelColumn& c, float w) {
  const TextStyle style{Font::words_semibold, 10.5f * theme.type, theme.dim};
  const float badge = c.badge.empty() ? 0 : badge_symbol_width(theme) + 6;
  canvas.text_fit(at, c.title, style, w - badge);
  if (badge > 0)
    draw_badge_symbol(canvas, theme,
                      {at.x + std::min(w - badge, canvas.measure(c.title, style)) + badge / 2 + 2, at.y},
                      c.badge);
}

// What one column says of a level; its second line where the row has room for it.
void draw_cell(Canvas& canvas, const Theme& theme, Rect r, const std::vector<std::string>& lines) {
  const float type = theme.type, half = 6.5f * type;
  const std::size_t shown = r.h >= 28 * type ? lines.size() : 1;
  for (std::size_t l = 0; l < shown; ++l) {
    const TextStyle style{Font::words, (l ? 10.5f : 11.5f) * type, l ? theme.dim : theme.ink};
    canvas.text_brief({r.x, r.center().y + (shown < 2 ? 0 : l ? half : -half)}, lines[l], style, r.w);
  }
}

void draw_levels(Canvas& canvas, const Theme& theme, Rect r, const MemoryScene& scene,
                 float pyramid = kPyramid) {
  canvas.landmark("tower", r);
  const float type = theme.type, head = kHead * type, row = (r.h - head) / kMemoryLevels, gap = 12 * type;
  const float pyramid_w = std::max(84 * type, r.w * pyramid);
  const auto columns = columns_for(r.w, type, scene);
  float shares = 0, x = r.x + pyramid_w + gap;
  for (const LevelColumn& c : columns) shares += c.share;
  for (const LevelFigures& f : scene.levels)
    draw_box(canvas, theme, {r.x, r.y + head + row * float(f.level), pyramid_w, row}, f.level,
             scene.answers(f.level));
  const float all = r.right() - x;
  for (const LevelColumn& c : columns) {
    const float w = all * c.share / shares - gap;
    draw_title(canvas, theme, {x, r.y + head / 2}, c, w);
    for (const LevelFigures& f : scene.levels)
      draw_cell(canvas, theme, {x, r.y + head + row * float(f.level), w, row}, c.lines(f));
    x += w + gap;
  }
}

// --- the places that the steps read
// --------------------------------------------------------------------------

constexpr float kStrip = 70, kLeastStairs = 118, kLeastWords = 64;

void draw_places(Canvas& canvas, const Theme& theme, Rect r, const MemoryScene& scene, const StageInput& in) {
  const float type = theme.type;
  const TextStyle strong{Font::words_semibold, 13.5f * type, theme.ink};
  const std::string title = tr("The footprint: {0}", {bytes_text(scene.footprint_bytes)});
  canvas.text_fit({r.x, r.y + 10 * type}, title, strong, r.w);
  const Rect bar{r.x, r.y + 50 * type, r.w, 16 * type};
  canvas.fill_rect(bar, theme.soft, 2);
  if (!(scene.footprint_bytes > 0)) return;
  const auto x_of = [&](double byte) { return bar.x + float(byte / scene.footprint_bytes) * bar.w; };
  const Color level = color_of(scene.answering.level);
  std::vector<bool> drawn(std::size_t(std::max(1.f, bar.w)) + 2);  // one line per pixel is enough
  for (int s = 0; s < in.view.step; ++s) {
    const auto place = scene.place_at(s);
    if (!place) continue;
    const float x = x_of(place->byte);
    const auto pixel = std::size_t(std::max(0.f, x - bar.x));
    if (pixel >= drawn.size() || drawn[pixel]) continue;
    drawn[pixel] = true;
    canvas.fill_rect({x, bar.y, 1.5f, bar.h}, place->walk ? level : mix(theme.panel, level, 0.5f));
  }
  const auto now = scene.place_at(in.view.step);
  if (!now) return;
  const float x = x_of(now->byte);
  if (now->next_byte) {
    const float to = x_of(*now->next_byte), top = bar.y - 26 * type;
    canvas.curve({x, bar.y}, {x, top}, {to, top}, {to, bar.y}, theme.readable(level), 1.6f);
    canvas.fill_circle({to, bar.y}, 3 * type, theme.readable(level));
  }
  canvas.fill_rect({x - 2, bar.y - 3, 5, bar.h + 6}, color::current, 1);
  canvas.stroke_rect({x - 2, bar.y - 3, 5, bar.h + 6}, theme.ink, 1, 1);
}

// --- the staircase
// -------------------------------------------------------------------------------------------

Plot stairs_plot(const Theme& theme, const MemoryScene& scene) {
  Plot plot;
  plot.id = "stage/stairs";
  double least = 1024, most = 1024, high = 0;
  for (const PlotPoint& p : scene.staircase)
    least = std::min(least, p.x), most = std::max(most, p.x), high = std::max(high, p.y);
  const double measured = scene.run().request.rung == "chase" ? scene.measured_cycles().value_or(0) : 0;
  plot.x = {tr("footprint, bytes"), least / 1.2, std::max(most * 1.2, 4 * least), true};
  plot.y = {tr("cycles per load"), 0, std::max(high, measured) * 1.15 + 1, false};
  plot.series.push_back({"", scene.staircase, theme.dim, PlotMark::line});
  for (const Plateau& p : scene.plateaus) {
    const MemoryLevel level = level_of(p, scene.gpu);
    plot.series.push_back(
        {"",
         {{1024.0 * double(p.first), p.latency, ""},
          {1024.0 * double(p.last), p.latency, name_of(level) + " " + cycles_per_load_text(p.latency)}},
         color_of(level),
         PlotMark::line});
  }
  plot.cursor = scene.setting_bytes();
  if (plot.cursor && measured > 0)
    plot.series.push_back(
        {"", {{plot.cursor.value_or(0), measured, ""}}, color_of(scene.answering.level), PlotMark::dots});
  return plot;
}

// Of all rungs that read or copy, over the footprint.
Plot rates_plot(const Theme& theme, const MemoryScene& scene) {
  Plot plot;
  plot.id = "stage/rates";
  double least = 1e15, most = 0, high = 0;
  for (const RateLine& line : scene.rates) {
    const bool own = line.rung == scene.run().request.rung;
    std::vector<PlotPoint> points = line.points;
    points.back().name = line.rung;
    for (const PlotPoint& p : points)
      least = std::min(least, p.x), most = std::max(most, p.x), high = std::max(high, p.y);
    plot.series.push_back({"", std::move(points), own ? color_of(scene.answering.level) : theme.dim,
                           own ? PlotMark::line : PlotMark::dashed});
  }
  plot.x = {tr("footprint, bytes"), least / 1.2, std::max(most * 1.2, 4 * least), true};
  plot.y = {tr("TB/s"), 0, high * 1.15, false};
  plot.cursor = scene.setting_bytes();
  return plot;
}

// What the first load of each line took; where they lie in two groups, the nearer and the farther.
Plot lines_plot(const Theme& theme, const MemoryScene& scene) {
  Plot plot;
  plot.id = "stage/lines";
  const auto halves = two_levels(scene.line_cycles);
  const double stride = double(int_param(scene.run().request.params, "stride")),
               middle = halves ? (halves->low + halves->high) / 2 : 0;
  PlotSeries near{"", {}, color::l2, PlotMark::dots}, far{"", {}, theme.dim, PlotMark::dots};
  const auto [least, most] = std::minmax_element(scene.line_cycles.begin(), scene.line_cycles.end());
  for (std::size_t i = 0; i < scene.line_cycles.size(); ++i)
    (halves && scene.line_cycles[i] > middle ? far : near)
        .points.push_back({stride * double(i), scene.line_cycles[i], ""});
  const double end = stride * double(scene.line_cycles.size());
  plot.x = {tr("line at byte"), 0, 1.12 * end, false};
  plot.y = {tr("cycles, first load"), *least - 10, *most + 10, false};
  plot.series = {std::move(near), std::move(far)};
  if (halves)
    for (const auto& [name, cycles, color] :
         {std::tuple{tr("near"), halves->low, color::l2}, std::tuple{tr("far"), halves->high, theme.dim}})
      plot.series.push_back({"",
                             {{0, cycles, ""}, {end, cycles, name + " " + cycles_per_load_text(cycles)}},
                             color,
                             PlotMark::line});
  return plot;
}

std::string curve_title(const MemoryScene& scene) {
  if (scene.shows_lines()) return tr("Latency of each line");
  return scene.shows_rates() ? tr("Throughput over the footprint") : tr("Latency over the footprint");
}

void draw_curve(Canvas& canvas, const Theme& theme, Rect r, const MemoryScene& scene) {
  const float type = theme.type;
  const std::string provenance = scene.shows_lines()
                                     ? std::string(provenance_of(scene.run(), "metrics.measured.cycles"))
                                     : scene.stairs_provenance();
  const std::string title = curve_title(scene);
  const TextStyle strong{Font::words_semibold, 13.5f * type, theme.ink};
  if (!scene.has_recording()) {
    canvas.text_fit({r.x, r.y + 10 * type}, title, strong, r.w);
    const Rect words{r.x, r.y + 22 * type, r.w, std::min(r.h - 22 * type, 48 * type)};
    canvas.fill_rect(words, theme.soft, 4);
    canvas.text_wrap(
        {words.x + 10, words.y + 5 * type},
        tr("No recording of it is here, and the emulator has no times. On a GPU, `lockstep record "
           "memory` makes one."),
        {Font::words, 12.5f * type, theme.dim}, words.w - 20, 17 * type);
    return;
  }
  const float badge = badge_width(canvas, theme, provenance), room = r.w - badge - 10;
  const std::string shorter = scene.shows_rates() ? tr("Throughput") : tr("Latency");
  canvas.text_fit({r.x, r.y + 10 * type}, canvas.measure(title, strong) > room ? shorter : title, strong,
                  room);
  draw_badge(canvas, theme, {r.right(), r.y + 10 * type}, provenance);
  draw_plot(canvas, theme, {r.x - 6, r.y + 22 * type, r.w + 12, r.h - 22 * type},
            scene.shows_lines()   ? lines_plot(theme, scene)
            : scene.shows_rates() ? rates_plot(theme, scene)
                                  : stairs_plot(theme, scene));
}

}  // namespace

// For a room of people: the pyramid and the staircase side by side.
static void draw_for_a_room(Canvas& canvas, const Theme& theme, Rect area, const MemoryScene& scene) {
  const float gap = 34 * theme.type;
  const bool beside = scene.has_recording() && area.w >= 700 * theme.type;
  const float levels_w = beside ? (area.w - gap) * 0.5f : area.w;
  const float levels_h = std::min(area.h, levels_height(theme, 1.3f * kRow));
  draw_levels(canvas, theme, {area.x, area.y, levels_w, levels_h}, scene, kPyramidOfRoom);
  if (beside)
    draw_curve(canvas, theme, {area.x + levels_w + gap, area.y, area.w - levels_w - gap, levels_h}, scene);
}

void MemoryScene::stage(Canvas& canvas, const StageInput& in, StageEvents&) const {
  const float type = in.theme.type, pad = 28, gap = 12 * type;
  const Rect area{in.area.x + pad, in.area.y + 12, in.area.w - 2 * pad, in.area.h - 20};
  if (in.presentation) return draw_for_a_room(canvas, in.theme, area, *this);
  // The staircase goes before the places, and rows are low before either is left out.
  const float strip = footprint_bytes > 0 ? kStrip * type + gap : 0,
              stairs = (has_recording() ? kLeastStairs : kLeastWords) * type + gap;
  const float least = levels_height(in.theme, kLeastRow);
  const bool has_stairs = area.h >= least + stairs, has_strip = area.h >= least + stairs + strip;
  const float others = (has_stairs ? stairs : 0) + (has_strip ? strip : 0);
  const float levels_h =
      std::min({levels_height(in.theme, kRow), area.h, std::max(least, area.h - others - 60 * type)});
  draw_levels(canvas, in.theme, {area.x, area.y, area.w, levels_h}, *this);
  float y = area.y + levels_h + gap;
  if (has_strip && strip > 0) {
    draw_places(canvas, in.theme, {area.x, y, area.w, kStrip * type}, *this, in);
    y += strip;
  }
  if (has_stairs) draw_curve(canvas, in.theme, {area.x, y, area.w, area.bottom() - y}, *this);
}

}  // namespace lockstep
