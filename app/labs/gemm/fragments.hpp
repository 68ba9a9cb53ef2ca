// Which lane holds which element of A, B and C in which register: for the rungs on tensor cores.
#pragma once
#include "app/labs/lab.hpp"

namespace lockstep {

void draw_fragments(Canvas& canvas, const StageInput& in, Rect r, StageEvents& events);

}  // namespace lockstep
