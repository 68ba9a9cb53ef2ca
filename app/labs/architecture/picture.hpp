// What the stage of the architecture lab is made of.
#pragma once
#include "scene.hpp"

namespace lockstep {

// Neighbouring waves differ in strength.
Color wave_color(const Theme& theme, int wave);

// The chip with its SMs, L2 and memory; a GPC, a TPC, an SM, a sub-core. What is clicked goes into `events`.
void draw_chip(Canvas& canvas, const StageInput& in, const ArchitectureScene& scene, Rect r,
               StageEvents& events);
void draw_inside(Canvas& canvas, const StageInput& in, const ArchitectureScene& scene, Rect r,
                 StageEvents& events);

// Which SM is busy when: rows are SMs, or the places of the one that is looked at.
void draw_over_time(Canvas& canvas, const StageInput& in, const ArchitectureScene& scene, Rect r,
                    StageEvents& events);

// Settings that go to a part.
Params going_to(Part part, int sm);

}  // namespace lockstep
