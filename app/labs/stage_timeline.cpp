#include "lab.hpp"

namespace lockstep {

TimelineHit stage_timeline(Canvas& canvas, const StageInput& in, StageEvents& events, Rect r,
                           TimelinePicture picture) {
  picture.search = in.timeline_search, picture.caret_shown = in.caret_shown;
  picture.searchable = !in.presentation;
  const bool first = !events.timeline;
  const auto keys = first ? in.timeline_keys : std::span<const TimelineKey>{};
  const TimelineHit hit = draw_timeline(canvas, in.theme, r, picture, in.view.timeline, keys);
  if (first || hit.view != in.view.timeline) events.timeline = hit.view;
  events.search_timeline |= hit.wants_search;
  if (first) events.search_area = hit.search_area;
  return hit;
}

}  // namespace lockstep
