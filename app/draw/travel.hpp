// What moves on a picture while a step is taken: a piece of it, from where it was to where it is needed.
#pragma once
#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

Rect rect_between(const Rect& from, const Rect& to, float share);  // share 0 .. 1
// motion 0 .. 1; draws nothing when all has arrived, where the picture itself shows it.
void draw_travelling(Canvas& canvas, const Theme& theme, const Rect& from, const Rect& to, Color color,
                     float motion);
// What counts as there while the step's bytes are on their way: `before` at motion 0, `after` at 1.
double value_between(double before, double after, float motion);

}  // namespace lockstep
