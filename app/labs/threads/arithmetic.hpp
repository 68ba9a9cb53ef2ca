// Lines of a kernel's arithmetic with the numbers of one thread, under a title.
#pragma once
#include <string>
#include <vector>

#include "app/draw/canvas.hpp"
#include "app/draw/theme.hpp"
#include "scene.hpp"

namespace lockstep {

float lines_height(const Canvas& canvas, const Theme& theme, const std::vector<IndexLine>& lines,
                   float width);
// The formula dim, its numbers in ink: behind it, or below where there is no room.
void draw_lines(Canvas& canvas, const Theme& theme, Rect r, const std::string& title,
                const std::vector<IndexLine>& lines);

}  // namespace lockstep
