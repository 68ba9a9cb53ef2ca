// The scheduler's stage: every warp in every cycle, enlarged around the current one, and the reasons in
// words.
#include "picture.hpp"

#include <algorithm>

#include "app/draw/controls.hpp"
#include "app/draw/language.hpp"
#include "app/draw/legend.hpp"
#include "app/draw/number_text.hpp"

namespace lockstep {
namespace {

// Each state by what its warps do; with the profiler's name for it where there is room. Warps that have ended
// have the colour of the ground, which needs no name in large type.
std::vector<LegendItem> legend_of(const PlayedWarps& p, const Theme& theme, bool full, bool ended) {
  std::vector<LegendItem> items;
  for (int s = 0; s < kWarpStates; ++s)
    if (p.sm.total[std::size_t(s)] > 0 && (ended || WarpState(s) != WarpState::done))
      items.push_back({tr(p.meaning_of(WarpState(s), full)),
                       WarpState(s) == WarpState::done ? theme.line : state_color(WarpState(s))});
  return items;
}

std::string program_text(const PlayedWarps& p) {
  const int blocks = p.sm.warps / p.warps_per_block;
  if (blocks == 1) return tr("{0}, a block of {1} warps", {p.rung, number_text(p.warps_per_block)});
  return tr("{0}, {1} blocks of {2} warps", {p.rung, number_text(blocks), number_text(p.warps_per_block)});
}

// Whose warps and which cycles stand below; the height that it takes.
float draw_title(Canvas& canvas, const Theme& theme, Rect r, const PlayedWarps& p, const LabView& view) {
  const int sub_core = p.sub_core_of(view.warp);
  const CycleWindow window = enlarged_window(p, view.step);
  const std::string cycles =
      tr("cycles {0} to {1} of {2}; {3}", {grouped(window.first), grouped(window.end - 1),
                                           grouped(p.sm.cycles), provenance_text(p.provenance())});
  const std::string remark = cycles + (p.own() ? "" : "; " + program_text(p));
  const std::string title =
      tr("Scheduler {0} and its {1} warps",
         {number_text(sub_core), number_text(std::int64_t(p.warps_of(sub_core).size()))});
  const float used = draw_heading(canvas, theme, r, title, remark);
  if (remark_fits(canvas, theme, r.w, title, remark)) return used;
  constexpr float kLine = 15;
  return used + canvas.text_wrap({r.x, r.y + used - 4 * theme.type}, remark,
                                 {Font::words, 11 * theme.type, theme.dim}, r.w, kLine * theme.type);
}

std::string iterations_text(const SchedulerScene& scene) {
  if (!scene.measured.starts.empty()) return tr("grey: loop iterations, model and GPU");
  return scene.played.own() ? tr("these settings were not measured on a GPU")
                            : tr("this program was not measured warp by warp");
}

}  // namespace

namespace {

constexpr float kHeadingGap = 12;

TextStyle heading_style(const Theme& theme) { return {Font::words_semibold, 13.5f * theme.type, theme.ink}; }
TextStyle remark_style(const Theme& theme) { return {Font::words, 11 * theme.type, theme.dim}; }

}  // namespace

bool remark_fits(const Canvas& canvas, const Theme& theme, float width, const std::string& title,
                 const std::string& remark) {
  return canvas.measure(title, heading_style(theme)) + kHeadingGap * theme.type +
             canvas.measure(remark, remark_style(theme)) <=
         width;
}

float draw_heading(Canvas& canvas, const Theme& theme, Rect r, const std::string& title,
                   const std::string& remark) {
  const TextStyle style = heading_style(theme);
  canvas.text_fit({r.x, r.y + 9 * theme.type}, title, style, r.w);
  if (!remark.empty() && remark_fits(canvas, theme, r.w, title, remark))
    canvas.text({r.x + canvas.measure(title, style) + kHeadingGap * theme.type, r.y + 9.5f * theme.type},
                remark, remark_style(theme));
  return 22 * theme.type;
}

namespace {

constexpr float kTitle = 22, kLeastEnlarged = 150;  // px at type size 1

// How the height below the title and the legend is shared. 0: not drawn.
struct Heights {
  float enlarged = 0, whole = 0, low = 0;
};
Heights heights_of(float left, float type, float gap, bool curve_in_narrow) {
  Heights h;
  h.low = std::clamp(left * 0.27f, (curve_in_narrow ? 158 : 100) * type, std::max(190 * type, left * 0.2f));
  h.whole = std::clamp(left * 0.25f, 80 * type, std::max(190 * type, left * 0.2f));
  const auto rest = [&] {
    return left - (h.low > 0 ? h.low + gap : 0) - (h.whole > 0 ? h.whole + kTitle * type + gap : 0);
  };
  // Half a stage, or a low one: first the iterations go, then the whole run, then the reasons and the curve.
  if (rest() < kLeastEnlarged * type) h.whole = std::min(h.whole, 36 * type);
  if (rest() < kLeastEnlarged * type) h.whole = 0;
  if (rest() < kLeastEnlarged * type) h.low = 0;
  h.enlarged = rest();
  return h;
}

// What more warps would bring; where there is no room for more, what the cycles go into.
void draw_second(Canvas& canvas, const Theme& theme, const SchedulerScene& scene, Rect r) {
  if (scene.curve.of_one_point()) return draw_stalls(canvas, theme, scene.played, r);
  draw_throughput(canvas, theme, scene, r);
}

// Why this warp, what the cycles go into, what more warps would bring: as many of them as stand side by side.
void draw_low(Canvas& canvas, const StageInput& in, const SchedulerScene& scene, Rect r, float gap) {
  const Theme& theme = in.theme;
  if (r.w < 430 * theme.type) return draw_reasons(canvas, in, scene.played, r);
  if (r.w < 560 * theme.type) {
    const float words = (r.w - gap) * 0.56f;
    draw_reasons(canvas, in, scene.played, {r.x, r.y, words, r.h});
    return draw_second(canvas, theme, scene, {r.x + words + gap, r.y, r.w - words - gap, r.h});
  }
  const bool wide = r.w > 860 * theme.type && !scene.curve.of_one_point();
  const float third = (r.w - (wide ? 4 : 2) * gap) / (wide ? 3 : 2);
  draw_reasons(canvas, in, scene.played, {r.x, r.y, third, r.h});
  const Rect second{r.x + third + 2 * gap, r.y, third, r.h};
  if (!wide) return draw_second(canvas, theme, scene, second);
  draw_stalls(canvas, theme, scene.played, second);
  draw_throughput(canvas, theme, scene, {r.x + 2 * third + 4 * gap, r.y, third, r.h});
}

}  // namespace

void SchedulerScene::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  if (steps.empty()) return;
  StageInput at = in;
  at.view.step = std::clamp(in.view.step, 0, played.sm.cycles - 1);
  const Theme& theme = in.theme;
  const float type = theme.type, pad = 28, gap = 14 * type;
  Rect r{in.area.x + pad, in.area.y + 16, in.area.w - 2 * pad, in.area.h - 28};
  r.y += draw_title(canvas, theme, r, played, at.view);
  const auto legend = legend_of(played, theme, !in.presentation && r.w >= 560 * type, !in.presentation);
  const float legend_h = legend_height(canvas, theme, r.w, legend);
  draw_legend(canvas, theme, {r.x, r.y, r.w, legend_h}, legend);
  r.y += legend_h + 6 * type;
  const float bottom = in.area.bottom() - 12;
  if (in.presentation && r.w >= 560 * type) {  // the curve beside the warps: both large
    const float second = r.w * (curve.of_one_point() ? 0.42f : 0.36f);
    draw_enlarged(canvas, at, *this, {r.x, r.y, r.w - second - 2 * gap, bottom - r.y}, events);
    return draw_second(canvas, theme, *this, {r.right() - second, r.y, second, bottom - r.y});
  }
  const Heights h = heights_of(bottom - r.y, type, gap, r.w < 560 * type);
  draw_enlarged(canvas, at, *this, {r.x, r.y, r.w, h.enlarged}, events);
  if (h.whole > 0) {
    float y = r.y + h.enlarged + gap;
    y += draw_heading(canvas, theme, {r.x, y, r.w, 0}, tr("The whole run: all four schedulers"),
                      h.whole >= iterations_from(theme) ? iterations_text(*this) : "");
    draw_whole_run(canvas, at, *this, {r.x, y, r.w, h.whole}, events);
  }
  if (h.low > 0) draw_low(canvas, at, *this, {r.x, bottom - h.low, r.w, h.low}, gap);
}

}  // namespace lockstep
