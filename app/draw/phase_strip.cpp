// The phase strip. What it costs depends on its width, not on the number of phases.
#include <algorithm>

#include "controls.hpp"

namespace lockstep {

int segment_at(std::span<const Segment> segments, int step) {
  const auto after = std::upper_bound(segments.begin(), segments.end(), step,
                                      [](int s, const Segment& segment) { return s < segment.first; });
  if (after == segments.begin()) return -1;
  const auto& segment = *(after - 1);
  return step < segment.first + segment.count ? int(after - segments.begin()) - 1 : -1;
}

std::optional<int> draw_phase_strip(Canvas& canvas, const Theme& theme, std::string_view id, Rect r,
                                    std::span<const Segment> segments, int steps, int current) {
  if (steps <= 0 || r.w <= 0) return {};
  constexpr float kLeast = 3, kGap = 2, kWideEnoughForGap = 8;
  const float unit = r.w / float(steps);
  const Hit hit = canvas.hit(id, r);
  for (float x = r.x; x < r.right() - 0.5f;) {  // one rectangle per visible stretch
    const int step = std::min(steps - 1, int((x - r.x) / unit + 0.001f));
    const int index = segment_at(segments, step);
    if (index < 0) break;
    const Segment& segment = segments[std::size_t(index)];
    const float end =
        std::min(r.right(), std::max(r.x + float(segment.first + segment.count) * unit, x + kLeast));
    const bool wide = end - x > kWideEnoughForGap;
    const Color color = segment.first <= current ? segment.color : mix(theme.soft, segment.color, 0.35f);
    canvas.fill_rect({x, r.y, end - x - (wide && end < r.right() - 0.5f ? kGap : 0), r.h}, color,
                     wide ? std::min(2.f, r.h / 3) : 0);
    x = end;
  }
  if (!hit.clicked && !hit.held) return {};
  return std::clamp(int((hit.pointer.x - r.x) / unit), 0, steps - 1);
}

}  // namespace lockstep
