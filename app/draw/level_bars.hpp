// How many bytes went through each level of the memory: bars one below the other.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "canvas.hpp"
#include "theme.hpp"

namespace lockstep {

struct LevelBar {
  std::string name;  // "L2"
  Color color;
  std::int64_t bytes = 0;
  bool modelled = false;  // a model's figure, not a count
};

// Lengths are logarithms, from a sector on, so that two pictures side by side have one scale.
void draw_level_bars(Canvas& canvas, const Theme& theme, Rect r, std::string_view title,
                     std::span<const LevelBar> bars);

}  // namespace lockstep
