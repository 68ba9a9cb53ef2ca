#include "lab.hpp"

namespace lockstep {

TimelineHit stage_timeline(Canvas& canvas, const StageInput& in, StageEvents& events, Rect r,
                           TimelinePicture picture) {
  picture.typing = in.timeline_typing;
  const TimelineHit hit = draw_timeline(canvas, in.theme, r, picture, in.timeline, in.timeline_keys);
  events.timeline = hit.view;
  events.search_timeline |= hit.wants_search;
  return hit;
}

}  // namespace lockstep
