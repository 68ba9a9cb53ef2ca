#include "small_timeline.hpp"

#include <algorithm>

namespace lockstep {

void draw_small_timeline(Canvas& canvas, const Theme& theme, Rect r, const Timeline& timeline,
                         std::span<const TimelineKind> kinds, std::span<const std::uint32_t> now) {
  const std::int64_t first = timeline.first_ns(), last = timeline.last_ns();
  if (timeline.lanes.empty() || last <= first || kinds.empty()) return;
  constexpr float kLeastBar = 2, kFewestRows = 5;
  const float pitch = r.h / std::max(kFewestRows, float(timeline.lanes.size()));
  const float per_ns = r.w / float(last - first);
  float y = r.y + (r.h - pitch * float(timeline.lanes.size())) / 2;
  for (const TimelineLane& lane : timeline.lanes) {
    const Rect row{r.x, y, r.w, pitch - 3};
    canvas.fill_rect(row, theme.soft, 2);
    for (std::size_t depth = 0; depth < lane.rows.size(); ++depth)
      for (const TimelineBar& bar : fold(lane, depth, first, last, double(kLeastBar / per_ns))) {
        const Rect box{r.x + float(bar.start_ns - first) * per_ns, row.y,
                       std::max(kLeastBar, float(bar.end_ns - bar.start_ns) * per_ns) - 1, row.h};
        canvas.fill_rect(box, kinds[std::min<std::size_t>(bar.kind, kinds.size() - 1)].color, 2);
        const TimelineSpan& span = lane.spans[lane.rows[depth].spans[bar.spans.first]];
        if (std::find(now.begin(), now.end(), span.id) != now.end())
          canvas.stroke_rect(box, color::current, 2, 2);
      }
    y += pitch;
  }
}

}  // namespace lockstep
