#include "lens.hpp"

#include <algorithm>
#include <cmath>

#include "app/draw/canvas_scaled.hpp"
#include "views.hpp"

namespace lockstep {
namespace {

constexpr float kLensShare = 0.4f;  // of the window's sides
constexpr float kLensRim = 2;

}  // namespace

void draw_lens_rim(Canvas& canvas, const App& app, Rect lens) {
  const Theme theme = app.theme();
  canvas.stroke_rect(lens.inset(-kLensRim / 2), theme.ink, kLensRim, kLensRadius);
}

Rect lens_area(Rect window, Vec2 pointer) {
  const float w = std::round(window.w * kLensShare), h = std::round(window.h * kLensShare);
  const float x = std::round(pointer.x - w / 2), y = std::round(pointer.y - h / 2), air = 2 * kLensRim;
  return {std::clamp(x, window.x + air, window.right() - w - air),
          std::clamp(y, window.y + air, window.bottom() - h - air), w, h};
}

void draw_enlarged(Canvas& canvas, App& app, Rect window, Vec2 pointer, Vec2 origin) {
  const Vec2 moved{pointer.x * (1 - kLensScale) - origin.x, pointer.y * (1 - kLensScale) - origin.y};
  ScaledCanvas large(canvas, kLensScale, moved);
  draw_presentation(large, app, window);
}

void draw_lens(Canvas& canvas, App& app, Rect window, Vec2 pointer) {
  const Rect lens = lens_area(window, pointer);
  canvas.push_clip(lens);
  draw_enlarged(canvas, app, window, pointer, {});
  canvas.pop_clip();
  draw_lens_rim(canvas, app, lens);
}

}  // namespace lockstep
