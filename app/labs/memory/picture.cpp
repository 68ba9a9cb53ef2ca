// The stage: the levels with what is known of each, the places that the steps read, and the recorded walk.
#include <algorithm>
#include <cmath>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"
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
      return tr("an SM; a thread's own");
    case MemoryLevel::shared:
      return tr("an SM; a block's own");
    case MemoryLevel::l1:
      return tr("an SM, with shared");
    case MemoryLevel::l2:
    case MemoryLevel::hbm:
      return tr("all SMs");
    case MemoryLevel::host:
      break;
  }
  return tr("CPU and GPU");
}

std::vector<std::string> holds_lines(const LevelFigures& f) {
  return {f.capacity_bytes ? bytes_text(*f.capacity_bytes) : "—", scope_text(f.level)};
}
std::vector<std::string> specified_lines(const LevelFigures& f) {
  return {"—", f.specified_bytes_per_s ? rate_text(*f.specified_bytes_per_s) : "—"};
}
std::vector<std::string> published_lines(const LevelFigures& f) {
  return {f.published_cycles ? published_text(*f.published_cycles, false) : "—",
          f.published_bytes_per_s ? published_text(*f.published_bytes_per_s, true) : "—"};
}
std::vector<std::string> measured_lines(const LevelFigures& f) {
  std::string rate = f.bytes_per_s ? rate_text(*f.bytes_per_s) : "";
  if (f.copied_bytes_per_s) rate += tr(", copy {0}", {rate_text(*f.copied_bytes_per_s)});
  return {dash(latency_text(f)), dash(rate)};
}

std::vector<LevelColumn> columns_for(float width, float type, const MemoryScene& scene) {
  const LevelColumn holds{tr("HOLDS"), "", 1, holds_lines},
      specified{tr("SPECIFIED"), "", 0.85f, specified_lines},
      published{tr("PUBLISHED"), "", 1.15f, published_lines},
      measured{tr("MEASURED"), scene.stairs_provenance(), 1.45f, measured_lines};
  if (width >= 560 * type) return {holds, specified, published, measured};
  if (width >= 400 * type) return {holds, published, measured};
  return {measured};
}

constexpr float kRow = 38, kHead = 24, kPyramid = 0.2f;

// Wider from level to level; the one that answers is outlined and the others are pale.
void draw_step(Canvas& canvas, const Theme& theme, Rect r, MemoryLevel level, bool answers, bool pale) {
  const float share = 0.5f + 0.1f * float(level);
  const Rect box{r.center().x - r.w * share / 2, r.y + 2, r.w * share, r.h - 4};
  const Color fill = pale ? mix(theme.panel, color_of(level), 0.45f) : color_of(level);
  canvas.fill_rect(box, fill, 3);
  if (answers) canvas.stroke_rect(box.inset(-2), color::current, 3, 4);
  canvas.text_fit(box.center(), name_of(level),
                  {Font::words_semibold, 11.5f * theme.type, Theme::on(fill), Align::center}, box.w - 8);
}

float levels_height(const Theme& theme) { return (kHead + kRow * kMemoryLevels) * theme.type; }

void draw_levels(Canvas& canvas, const Theme& theme, Rect r, const MemoryScene& scene) {
  const float type = theme.type, row = (r.h - kHead * type) / kMemoryLevels, gap = 12 * type;
  const float pyramid_w = std::max(84 * type, r.w * kPyramid);
  const auto columns = columns_for(r.w, type, scene);
  float shares = 0;
  for (const LevelColumn& c : columns) shares += c.share;
  const auto is_lit = [&](MemoryLevel level) {
    return level == scene.answering.level || level == scene.answering.next;
  };
  for (int i = 0; i < kMemoryLevels; ++i)
    draw_step(canvas, theme, {r.x, r.y + kHead * type + row * float(i), pyramid_w, row}, MemoryLevel(i),
              is_lit(MemoryLevel(i)), !is_lit(MemoryLevel(i)));
  float x = r.x + pyramid_w + gap;
  const float all = r.right() - x;
  for (const LevelColumn& c : columns) {
    const float w = all * c.share / shares - gap;
    const float badge = c.badge.empty() ? 0 : badge_symbol_width(theme) + 4;
    canvas.text_fit({x, r.y + kHead * type / 2}, c.title, {Font::words_semibold, 10.5f * type, theme.dim},
                    w - badge);
    if (badge > 0)
      draw_badge_symbol(canvas, theme,
                        {x + std::min(w - badge / 2, 8 + badge / 2 +
                                                         canvas.measure(c.title, {Font::words_semibold,
                                                                                  10.5f * type, theme.dim})),
                         r.y + kHead * type / 2},
                        c.badge);
    for (const LevelFigures& f : scene.levels) {
      const float y = r.y + kHead * type + row * (float(f.level) + 0.5f);
      const auto lines = c.lines(f);
      const bool lit = is_lit(f.level);
      for (std::size_t l = 0; l < lines.size(); ++l)
        canvas.text_fit(
            {x, y + (l ? 7.5f : -7.5f) * type}, lines[l],
            {lit && !l ? Font::words_semibold : Font::words, 11.5f * type, l ? theme.dim : theme.ink}, w);
    }
    x += w + gap;
  }
}

// --- the places that the steps read
// --------------------------------------------------------------------------

constexpr float kStrip = 74;

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
  const auto at = scene.run().request.params.find("footprint");
  if (at != scene.run().request.params.end())
    if (const auto* kb = std::get_if<std::int64_t>(&at->second)) {
      plot.cursor = 1024.0 * double(*kb);
      if (measured > 0)
        plot.series.push_back(
            {"", {{1024.0 * double(*kb), measured, ""}}, color_of(scene.answering.level), PlotMark::dots});
    }
  return plot;
}

void draw_stairs(Canvas& canvas, const Theme& theme, Rect r, const MemoryScene& scene) {
  const float type = theme.type;
  const std::string provenance = scene.stairs_provenance();
  const TextStyle strong{Font::words_semibold, 13.5f * type, theme.ink};
  if (scene.staircase.empty()) {
    canvas.text_fit({r.x, r.y + 10 * type}, tr("Latency over the footprint"), strong, r.w);
    canvas.text_wrap(
        {r.x, r.y + 24 * type},
        tr("No recording of this walk is here, and the emulator has no times. On a GPU, `lockstep "
           "record memory` makes one."),
        {Font::words, 12.5f * type, theme.dim}, r.w, 17 * type);
    return;
  }
  const float badge = badge_width(canvas, theme, provenance);
  canvas.text_fit({r.x, r.y + 10 * type}, tr("Latency over the footprint"), strong, r.w - badge - 10);
  draw_badge(canvas, theme, {r.right(), r.y + 10 * type}, provenance);
  draw_plot(canvas, theme, {r.x - 6, r.y + 22 * type, r.w + 12, r.h - 22 * type}, stairs_plot(theme, scene));
}

}  // namespace

void MemoryScene::stage(Canvas& canvas, const StageInput& in, StageEvents&) const {
  const float type = in.theme.type, pad = 28, gap = 14 * type;
  const Rect area{in.area.x + pad, in.area.y + 14, in.area.w - 2 * pad, in.area.h - 24};
  const bool places = footprint_bytes > 0;
  const float strip = places ? kStrip * type : 0;
  float levels_h = std::min(levels_height(in.theme), area.h - strip - gap);
  const float left = area.h - levels_h - strip - 2 * gap;
  const bool stairs = left >= 130 * type;
  float y = area.y;
  draw_levels(canvas, in.theme, {area.x, y, area.w, levels_h}, *this);
  y += levels_h + gap;
  if (places) {
    draw_places(canvas, in.theme, {area.x, y, area.w, strip}, *this, in);
    y += strip + gap;
  }
  if (stairs) draw_stairs(canvas, in.theme, {area.x, y, area.w, area.bottom() - y}, *this);
}

}  // namespace lockstep
