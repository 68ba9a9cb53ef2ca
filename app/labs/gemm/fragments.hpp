// Which lane holds which element of A, B and C in which register: for the rungs on tensor cores.
#pragma once
#include "picture.hpp"

namespace lockstep {

void draw_fragments(Canvas& canvas, const GemmPicture& shown, Rect r);

}  // namespace lockstep
