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

std::vector<LegendItem> legend_of(const PlayedWarps& p, const Theme& theme) {
  std::vector<LegendItem> items;
  for (int s = 0; s < kWarpStates; ++s)
    if (p.sm.total[std::size_t(s)] > 0)
      items.push_back({tr(state_in_full(WarpState(s))),
                       WarpState(s) == WarpState::done ? theme.line : state_color(WarpState(s))});
  return items;
}

std::string program_text(const PlayedWarps& p) {
  return tr("{0}, {1} blocks of {2} warps",
            {p.rung, number_text(p.sm.warps / p.warps_per_block), number_text(p.warps_per_block)});
}

// Whose warps and which cycles stand below; the height that it takes.
float draw_title(Canvas& canvas, const Theme& theme, Rect r, const PlayedWarps& p, const LabView& view) {
  const int sub_core = p.sub_core_of(view.warp);
  const CycleWindow window = enlarged_window(p, view.step);
  const std::string cycles =
      tr("cycles {0} to {1} of {2}; {3}", {grouped(window.first), grouped(window.end - 1),
                                           grouped(p.sm.cycles), provenance_text(p.provenance())});
  return draw_heading(canvas, theme, r,
                      tr("Scheduler {0} and its {1} warps",
                         {number_text(sub_core), number_text(std::int64_t(p.warps_of(sub_core).size()))}),
                      cycles + (p.own() ? "" : "; " + program_text(p)));
}

std::string iterations_text(const SchedulerScene& scene) {
  if (!scene.measured.starts.empty()) return tr("grey: loop iterations, model and GPU");
  return scene.played.own() ? tr("these settings were not measured on a GPU")
                            : tr("this program was not measured warp by warp");
}

}  // namespace

float draw_heading(Canvas& canvas, const Theme& theme, Rect r, const std::string& title,
                   const std::string& remark) {
  const TextStyle style{Font::words_semibold, 13.5f * theme.type, theme.ink};
  canvas.text_fit({r.x, r.y + 9 * theme.type}, title, style, r.w);
  const float used = canvas.measure(title, style) + 12 * theme.type;
  if (!remark.empty() && r.w - used > 60)
    canvas.text_fit({r.x + used, r.y + 9.5f * theme.type}, remark, {Font::words, 11 * theme.type, theme.dim},
                    r.w - used);
  return 22 * theme.type;
}

void SchedulerScene::stage(Canvas& canvas, const StageInput& in, StageEvents& events) const {
  if (steps.empty()) return;
  StageInput at = in;
  at.view.step = std::clamp(in.view.step, 0, played.sm.cycles - 1);
  const Theme& theme = in.theme;
  const float type = theme.type, pad = 28, gap = 14 * type;
  Rect r{in.area.x + pad, in.area.y + 16, in.area.w - 2 * pad, in.area.h - 28};
  r.y += draw_title(canvas, theme, r, played, at.view);
  const auto legend = legend_of(played, theme);
  const float legend_h = legend_height(canvas, theme, r.w, legend);
  draw_legend(canvas, theme, {r.x, r.y, r.w, legend_h}, legend);
  r.y += legend_h + 6 * type;
  const float bottom = in.area.bottom() - 12, left = bottom - r.y;
  const float title_h = 22 * type, least = 150 * type;  // of the enlarged timeline
  float low_h = std::clamp(left * 0.27f, 100 * type, 190 * type),
        whole_h = std::clamp(left * 0.25f, 80 * type, 190 * type);
  const auto rest = [&] {
    return left - (low_h ? low_h + gap : 0) - (whole_h ? whole_h + title_h + gap : 0);
  };
  // Half a stage, or a low one: first the iterations go, then the reasons, then the whole run.
  const float wanted = whole_h;
  if (rest() < least) whole_h = std::min(whole_h, 36 * type);
  if (rest() < least) low_h = 0, whole_h = wanted;
  if (rest() < least) whole_h = 0;
  draw_enlarged(canvas, at, *this, {r.x, r.y, r.w, rest()}, events);
  if (!whole_h) return;
  float y = r.y + rest() + gap;
  y += draw_heading(canvas, theme, {r.x, y, r.w, 0}, tr("The whole run: all four schedulers"),
                    whole_h >= iterations_from(theme) ? iterations_text(*this) : "");
  draw_whole_run(canvas, at, *this, {r.x, y, r.w, whole_h}, events);
  if (!low_h) return;
  y = bottom - low_h;
  if (r.w < 560 * type) return draw_reasons(canvas, at, played, {r.x, y, r.w, low_h});
  const bool wide = r.w > 700 * type;
  const float third = (r.w - (wide ? 4 : 2) * gap) / (wide ? 3 : 2);
  draw_reasons(canvas, at, played, {r.x, y, third, low_h});
  draw_stalls(canvas, theme, played, {r.x + third + 2 * gap, y, third, low_h});
  if (wide) draw_throughput(canvas, theme, *this, {r.x + 2 * third + 4 * gap, y, third, low_h});
}

}  // namespace lockstep
