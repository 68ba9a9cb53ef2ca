// Who is at what when: the warpgroups of a block over the SM's clock, and the products that run for them
// meanwhile.
#pragma once
#include "picture.hpp"

namespace lockstep {

// 0 where nothing was noted down of this rung.
float turns_height(const Canvas& canvas, const Theme& theme, float width, const Run& run);
void draw_turns(Canvas& canvas, const AttentionStep& now, Rect r);
// The same beside the curves, of tiles in the middle; nothing where nothing was noted down.
std::optional<LabPanel> turns_panel(const Run& run);

}  // namespace lockstep
