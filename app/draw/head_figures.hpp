// The few numbers that a picture is about, large, each with what it counts and whose word it is.
#pragma once
#include <span>
#include <string>

#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

struct HeadFigure {
  std::string value;       // "32", "39 %"
  std::string unit;        // "sectors": stands behind the value
  std::string note;        // "for one read of warp 4": below both
  std::string provenance;  // words of its badge; "" for none
  bool trouble = false;
};

float head_figures_height(const Theme& theme);
// Side by side, from the top of r.
void draw_head_figures(Canvas& canvas, const Theme& theme, Rect r, std::span<const HeadFigure> figures);

}  // namespace lockstep
