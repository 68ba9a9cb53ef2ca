#include "travel.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep {

Rect rect_between(const Rect& from, const Rect& to, float share) {
  const auto at = [share](float a, float b) { return a + (b - a) * share; };
  return {at(from.x, to.x), at(from.y, to.y), at(from.w, to.w), at(from.h, to.h)};
}

void draw_travelling(Canvas& canvas, const Theme& theme, const Rect& from, const Rect& to, Color color,
                     float motion) {
  if (motion >= 1 || from.w <= 0 || from.h <= 0 || to.w <= 0 || to.h <= 0) return;
  const float t = std::clamp(motion, 0.f, 1.f), eased = t * t * (3 - 2 * t);
  constexpr int kTrail = 2;  // paler copies behind it show where it comes from
  for (int i = kTrail; i >= 0; --i) {
    const Rect at = rect_between(from, to, std::max(0.f, eased - 0.08f * float(i)));
    canvas.fill_rect(at, color.with_alpha(i == 0 ? 0.5f : 0.16f), 2);
    if (i == 0) canvas.stroke_rect(at, theme.ink.with_alpha(0.6f), 1, 2);
  }
}

double value_between(double before, double after, float motion) {
  if (motion >= 1 || !std::isfinite(before) || !std::isfinite(after)) return after;
  return before + (after - before) * double(std::max(motion, 0.f));
}

}  // namespace lockstep
