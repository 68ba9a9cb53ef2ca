// Lanes side by side, a row for each round, and a line for each number that goes from lane to lane.
#pragma once
#include "scene.hpp"

namespace lockstep {

// Rows and lines, without words: rows from the top of r. Those behind `step` are still to come; of the row of
// `step` itself `motion` is done.
void draw_lanes(Canvas& canvas, const Theme& theme, Rect r, const LaneTable& table, int step, float motion);

}  // namespace lockstep
