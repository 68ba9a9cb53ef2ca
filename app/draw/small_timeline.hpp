// A timeline as a small picture: every lane a row of bars, without names, axis or hit areas.
#pragma once
#include <span>

#include "timeline.hpp"

namespace lockstep {

// Kinds by TimelineSpan::kind, the last one for all above; spans in `now` are outlined.
void draw_small_timeline(Canvas& canvas, const Theme& theme, Rect r, const Timeline& timeline,
                         std::span<const TimelineKind> kinds, std::span<const std::uint32_t> now = {});

}  // namespace lockstep
