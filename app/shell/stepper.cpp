#include "stepper.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/draw/language.hpp"
#include "app/draw/number_text.hpp"

namespace lockstep {
namespace {

int last_step(const StepperPicture& p) { return p.scene ? p.scene->axis().count() - 1 : 0; }

void draw_step_buttons(Canvas& canvas, const Theme& theme, Rect r, const StepperPicture& p,
                       StepperEvents& events) {
  const Icon icons[] = {Icon::first, Icon::previous, p.playing ? Icon::pause : Icon::play, Icon::next,
                        Icon::last};
  const char* const ids[] = {"step/first", "step/previous", "step/play", "step/next", "step/last"};
  const float w = r.w / 5;
  for (int i = 0; i < 5; ++i) {
    if (!draw_icon_button(canvas, theme, ids[i], {r.x + float(i) * w, r.y, w - 2, r.h}, icons[i]).clicked)
      continue;
    if (i == 0) events.go_to = 0;
    if (i == 1) events.by = -1;
    if (i == 2) events.play = true;
    if (i == 3) events.by = 1;
    if (i == 4) events.go_to = last_step(p);
  }
}

void draw_phases(Canvas& canvas, const Theme& theme, Rect strip, const StepperPicture& p,
                 StepperEvents& events) {
  const int steps = last_step(p) + 1;
  if (const auto step = draw_phase_strip(canvas, theme, "phases", strip, p.segments, steps, p.view.step))
    events.go_to = *step;
  const Hit hit = canvas.hit("phases/names", strip);
  if (!hit.hovered) return;
  const int step = std::clamp(int((hit.pointer.x - strip.x) / strip.w * float(steps)), 0, steps - 1);
  if (const int index = segment_at(p.segments, step); index >= 0) {
    const Phase& phase = p.scene->axis().phases()[std::size_t(index)];
    canvas.tooltip(tr(p.scene->phase_name(phase)) + "\n" + tr(p.scene->phase_place(phase)));
  }
  if (hit.clicked || hit.held) events.go_to = step;
}

void draw_track(Canvas& canvas, const Theme& theme, Rect r, const StepperPicture& p, StepperEvents& events) {
  const int steps = last_step(p) + 1;
  const float strip_h = 11 * theme.type;
  draw_phases(canvas, theme, {r.x, r.y, r.w, strip_h}, p, events);
  const float y = r.y + strip_h + 17 * theme.type, unit = r.w / float(steps);
  const float x = r.x + (float(p.view.step) + 0.5f) * unit;
  canvas.fill_rect({r.x, y - 1.5f, r.w, 3}, theme.soft, 1.5f);
  canvas.fill_rect({r.x, y - 1.5f, x - r.x, 3}, theme.ink, 1.5f);
  if (unit >= 5)
    for (int i = 0; i <= steps; ++i)
      canvas.line({r.x + float(i) * unit, y - 4}, {r.x + float(i) * unit, y + 4}, theme.dim.with_alpha(0.6f));
  canvas.fill_circle({x, y}, 6.5f * std::min(theme.type, 1.3f), theme.ink);
  const Hit drag = canvas.hit("step/slider", {r.x - 8, y - 12, r.w + 16, 24});
  if (drag.held || drag.pressed)
    events.go_to = std::clamp(int((drag.pointer.x - r.x) / unit), 0, steps - 1), events.stop = true;
  if (drag.wheel != 0) events.by = drag.wheel > 0 ? -1 : 1;
}

// Which step of how many, what it is, and how fast it is played.
void draw_words(Canvas& canvas, const Theme& theme, Rect r, const StepperPicture& p, StepperEvents& events) {
  const float type = theme.type, x = r.x, y = r.center().y;
  canvas.text_fit({x, y - 17 * type},
                  tr("step {0} of {1}", {grouped(p.view.step + 1), grouped(last_step(p) + 1)}),
                  {Font::words_semibold, 12.5f * type, theme.ink}, r.w);
  constexpr float kSmallest = 10;
  canvas.text_shrunk({x, y + 1 * type}, tr(p.scene->step_title(p.view)),
                     {Font::words, 11.5f * type, theme.dim}, kSmallest * type, r.w);
  if (!p.notice.empty()) return;
  char speed[16];
  std::snprintf(speed, sizeof speed, "%g", p.steps_per_second);
  const Rect speed_rect{x, y + 11 * type, std::min(r.w, 120 * type), 17 * type};
  const Hit hit = canvas.hit("step/speed", speed_rect, true);
  canvas.text_fit({x, speed_rect.center().y}, tr("{0} steps/s", {speed}),
                  {Font::words, 11 * type, hit.hovered || hit.focused ? theme.ink : theme.dim}, r.w);
  if (hit.hovered) canvas.tooltip(tr("click: play faster or slower"));
  if (hit.clicked) events.steps_per_second = p.steps_per_second >= 64 ? 2 : p.steps_per_second * 2;
}

}  // namespace

StepperEvents draw_steps(Canvas& canvas, const Theme& theme, Rect r, const StepperPicture& p) {
  StepperEvents events;
  canvas.fill_rect(r, theme.panel);
  canvas.line({r.x, r.y + 0.5f}, {r.right(), r.y + 0.5f}, theme.line);
  const float type = theme.type, buttons_w = 165 * std::min(type, 1.2f),
              words_w = std::min(230 * type, r.w * 0.24f);
  Theme quiet = theme;
  if (!p.scene) quiet.ink = theme.line;
  draw_step_buttons(canvas, quiet, {r.x + 14, r.center().y - 17 * type, buttons_w, 34 * type}, p, events);
  const Rect track{r.x + 14 + buttons_w + 18, r.center().y - 21 * type, r.w - buttons_w - words_w - 70,
                   42 * type};
  const Rect words{track.right() + 22, r.y, words_w, r.h};
  if (!p.notice.empty())
    canvas.text_fit({words.x, r.center().y + 20 * type}, p.notice,
                    {Font::words_semibold, 10.5f * type, theme.ink}, words_w);
  if (!p.scene) {
    canvas.fill_rect({track.x, r.center().y - 1.5f, track.w, 3}, theme.soft, 1.5f);
    return {};
  }
  draw_track(canvas, theme, track, p, events);
  draw_words(canvas, theme, words, p, events);
  return events;
}

}  // namespace lockstep
