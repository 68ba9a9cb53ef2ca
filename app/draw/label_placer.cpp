#include "label_placer.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

constexpr float kLeast = 22;  // px: a shortened label shows a few letters at least

bool overlap(Rect a, Rect b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

}  // namespace

// Clips the segment to the rectangle, side by side (Liang and Barsky).
bool passes_through(Vec2 a, Vec2 b, Rect r) {
  float from = 0, to = 1;
  const auto clip = [&](float step, float room) {
    if (step == 0) return room >= 0;
    const float t = room / step;
    step < 0 ? from = std::max(from, t) : to = std::min(to, t);
    return from <= to;
  };
  return clip(a.x - b.x, a.x - r.x) && clip(b.x - a.x, r.right() - a.x) && clip(a.y - b.y, a.y - r.y) &&
         clip(b.y - a.y, r.bottom() - a.y);
}

Rect LabelPlacer::rect_at(const LabelSpot& spot, float width, float size) const {
  const float left = spot.align == Align::left     ? spot.at.x
                     : spot.align == Align::center ? spot.at.x - width / 2
                                                   : spot.at.x - width;
  return {left, spot.at.y - size * 0.62f, width, size * 1.24f};
}

bool LabelPlacer::is_free(Rect r) const {
  if (r.x < box_.x || r.y < box_.y || r.right() > box_.right() || r.bottom() > box_.bottom()) return false;
  constexpr float kApart = 3;  // px: two names in one line are two words
  const Rect room{r.x - kApart, r.y, r.w + 2 * kApart, r.h};
  return std::none_of(taken_.begin(), taken_.end(), [&](Rect other) { return overlap(room, other); });
}

int LabelPlacer::crossings(Rect r) const {
  return int(std::count_if(lines_.begin(), lines_.end(),
                           [&](const Line& line) { return passes_through(line.a, line.b, r); }));
}

const LabelSpot* LabelPlacer::best_spot(std::span<const LabelSpot> spots, float width, float size) const {
  const LabelSpot* best = nullptr;
  int fewest = 0;
  for (const LabelSpot& spot : spots) {
    const Rect r = rect_at(spot, width, size);
    if (!is_free(r)) continue;
    const int crossed = crossings(r);
    if (best && crossed >= fewest) continue;
    best = &spot, fewest = crossed;
  }
  return best;
}

bool LabelPlacer::place_far(std::string_view text, TextStyle style, std::span<const LabelSpot> far,
                            Color ground, Rect home) {
  const float width = canvas_.measure(text, style);
  const Vec2 from = home.center();
  for (const LabelSpot& spot : far) {
    const Rect r = rect_at(spot, width, style.size);
    if (!is_free(r)) continue;
    const Vec2 to{std::clamp(from.x, r.x, r.right()), std::clamp(from.y, r.y, r.bottom())};
    // The line may leave its own mark only, and cut no other label or mark.
    const bool cuts = std::any_of(taken_.begin(), taken_.end(), [&](Rect other) {
      return !overlap(other, home) && passes_through(from, to, other);
    });
    if (cuts) continue;
    const float length = std::hypot(to.x - from.x, to.y - from.y), out = std::min(home.w / 2, length);
    const Vec2 edge{from.x + (to.x - from.x) / length * out, from.y + (to.y - from.y) / length * out};
    canvas_.line(edge, to, style.color.with_alpha(0.6f), 1);
    if (crossings(r)) canvas_.fill_rect(r, ground.with_alpha(0.85f), 3);
    style.align = spot.align;
    canvas_.text_fit(spot.at, text, style, width);
    taken_.push_back(r), lines_.push_back({from, to});
    return true;
  }
  return false;
}

bool LabelPlacer::place(std::string_view text, TextStyle style, std::span<const LabelSpot> spots,
                        Color ground, Rect home, std::span<const LabelSpot> far) {
  const float whole = canvas_.measure(text, style);
  for (const float share : {1.f, 0.7f, 0.5f, 0.35f}) {
    const float width = whole * share;
    if (share < 1 && width < kLeast) break;
    const LabelSpot* spot = best_spot(spots, width, style.size);
    if (!spot && share == 1 && place_far(text, style, far, ground, home)) return true;
    if (!spot) continue;
    const Rect r = rect_at(*spot, width, style.size);
    if (crossings(r)) canvas_.fill_rect(r, ground.with_alpha(0.85f), 3);
    style.align = spot->align;
    canvas_.text_fit(spot->at, text, style, width);
    taken_.push_back(r);
    return true;
  }
  canvas_.hint(home, text);
  return false;
}

}  // namespace lockstep
